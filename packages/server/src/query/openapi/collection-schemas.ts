/** Schemas of the documents of one collection: their attributes have the types of the declared fields. */
import * as replies from '@querent/contract/query'
import type { Field } from '@querent/contract/workspace-file'
import { makeReference } from '#http/openapi'
import type { Schema } from '#http/openapi-schemas'
import { attributeSchemas, type Properties } from './attribute-schemas.ts'
import { pascalCase } from './names.ts'

/** Names of the schemas of a collection's replies. */
export interface ReplySchemas {
  results: string
  resultsCount: string
  resultPage: string
  plainEntity: string
}

/** Schemas that belong to no collection. */
export const anyReplySchemas: ReplySchemas = {
  results: 'Results',
  resultsCount: 'ResultsCount',
  resultPage: 'ResultPage',
  plainEntity: 'PlainEntity',
}
/** The schema of `results,count`, also for readers without `prefixItems`. */
export const resultsCountSchema = (results: string): Schema => {
  const parts = [makeReference('schemas', results), makeReference('schemas', 'Statistics')]
  const description = 'The results, then their statistics'
  return { type: 'array', description, prefixItems: parts, items: { anyOf: parts }, minItems: 2, maxItems: 2 }
}

/** Replaces some properties of an object's schema. */
const withProperties = ({ properties, ...rest }: { properties: object }, changed: Properties): Schema => ({
  ...rest,
  properties: { ...properties, ...changed },
})
const listOfItems = (item: string) => ({ type: 'array', items: makeReference('schemas', item) })

/** Makes the schemas of all replies with documents that have these attributes. `uniqueName` gets names that start with `prefix`. */
const replySchemas = (
  prefix: string,
  attributes: Schema & { properties: Properties },
  uniqueName: (name: string) => string,
  tupleColumns: readonly Schema[] = [],
): { schemas: Record<string, Schema>; names: ReplySchemas } => {
  const tuple = (item: string) =>
    tupleColumns.length === 0
      ? listOfItems(item)
      : { type: 'array', items: { anyOf: [makeReference('schemas', item), ...tupleColumns] } }
  const name = (suffix: string) => uniqueName(`${prefix}${suffix}`)
  const [attributesName, entity, item] = [name('Attributes'), name('Entity'), name('Item')]
  const [results, resultsCount] = [name('Results'), name('ResultsCount')]
  const [plainEntity, plainItem, resultPage] = [name('PlainEntity'), name('PlainItem'), name('ResultPage')]
  const { id, class: classes } = replies.PlainEntity.properties
  const schemas = {
    [attributesName]: attributes,
    [entity]: withProperties(replies.Entity, { attributes: { ...makeReference('schemas', attributesName) } }),
    [item]: withProperties(replies.ResultItem, { tuple: tuple(entity) }),
    [results]: withProperties(replies.Results, { items: listOfItems(item) }),
    [resultsCount]: resultsCountSchema(results),
    // An entity's own id and class replace attributes of these names.
    [plainEntity]: { ...replies.PlainEntity, properties: { ...attributes.properties, id, class: classes } },
    [plainItem]: withProperties(replies.ResultItem, { tuple: tuple(plainEntity) }),
    [resultPage]: withProperties(replies.ResultPage, { items: listOfItems(plainItem) }),
  }
  return { schemas, names: { results, resultsCount, resultPage, plainEntity } }
}

/** The schema of {@link anyReplySchemas} that the contract lacks. */
export const anySchemas = { ResultsCount: resultsCountSchema('Results') }

/** Schemas of the options of facets as results. */
const optionAttributes = {
  type: 'object',
  description: 'An option of a facet',
  properties: {
    title: { type: 'string', description: 'The value' },
    count: { type: 'integer', description: 'Number of documents with the value' },
    options: { type: 'integer', description: 'In a list of facets: the number of different values' },
  },
}
export const facetSchemas = replySchemas('Facet', optionAttributes, name => name)

/** The same for facets with two columns: the option and its count. */
export const countedFacetSchemas = replySchemas('CountedFacet', optionAttributes, name => name, [
  { type: 'number' },
])

/** More is left untyped, so that the document stays small. */
const attributesBytesMax = 300_000

/** Makes the schemas of some collections. A collection without a name in `names` is not typed: there are too many fields. */
export const collectionSchemas = (
  collections: Iterable<{ name: string; fileFields: Readonly<Record<string, Field>> }>,
  uniqueName: (name: string) => string,
) => {
  const schemas: Record<string, Schema> = {}
  const names = new Map<string, ReplySchemas>()
  let bytesLeft = attributesBytesMax
  for (const { name, fileFields } of collections) {
    const prefix = pascalCase([name])
    const described = attributeSchemas(`${prefix}Attributes`, fileFields, uniqueName, bytesLeft)
    if (described === undefined) break
    bytesLeft -= described.bytes
    const { properties, objects } = described
    const description = `Attributes of the documents of ${name}`
    const attributes = { type: 'object', description, properties, additionalProperties: true }
    const typed = replySchemas(prefix, attributes, uniqueName)
    Object.assign(schemas, typed.schemas, objects)
    names.set(name, typed.names)
  }
  return { schemas, names }
}
