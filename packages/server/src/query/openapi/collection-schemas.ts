/** Schemas of the documents of one collection: their attributes have the types of the declared fields. */
import * as replies from '@querent/contract/query'
import type { Field, FieldType } from '@querent/contract/workspace-file'
import { makeReference } from '#http/openapi'
import type { Schema } from '#http/openapi-schemas'
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
const place: Schema = {
  type: 'object',
  required: ['lat', 'lon'],
  properties: { lat: { type: 'number' }, lon: { type: 'number' } },
}
const single: Readonly<Record<Exclude<FieldType, 'vector'>, Schema>> = {
  text: { type: 'string' },
  keyword: { type: 'string' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  date: { type: 'string' },
  geo: { ...makeReference('schemas', 'Place') },
  object: { type: 'object', additionalProperties: true },
}
const oneOrList = (description: string, item: Schema): Schema => ({
  description,
  anyOf: [item, { type: 'array', items: item }, { type: 'null' }],
})
const numberList: Schema = { type: 'array', items: { type: 'number' } }

/** The schema that each type of field refers to. Documents may have one value, a list, or null. */
const valueSchemaNames: Readonly<Record<FieldType, string>> = {
  text: 'TextValue',
  keyword: 'TextValue',
  number: 'NumberValue',
  boolean: 'BooleanValue',
  date: 'DateValue',
  geo: 'PlaceValue',
  object: 'ObjectValue',
  vector: 'VectorValue',
}
export const valueSchemas: Readonly<Record<string, Schema>> = {
  TextValue: oneOrList('A text, or a list of texts', single.text),
  NumberValue: oneOrList('A number, or a list of numbers', single.number),
  BooleanValue: oneOrList('True or false, or a list of them', single.boolean),
  DateValue: oneOrList('A date or date-time of RFC 3339, or a list of them', single.date),
  PlaceValue: oneOrList('A place, or a list of places', single.geo),
  ObjectValue: oneOrList('An object, or a list of objects', single.object),
  VectorValue: oneOrList('A vector, or a list of vectors', numberList),
  Place: { ...place, description: 'Decimal degrees of WGS84' },
}

/** The schema of `results,count`, also for readers without `prefixItems`. */
export const resultsCountSchema = (results: string): Schema => {
  const parts = [makeReference('schemas', results), makeReference('schemas', 'Statistics')]
  const description = 'The results, then their statistics'
  return { type: 'array', description, prefixItems: parts, items: { anyOf: parts }, minItems: 2, maxItems: 2 }
}

type Properties = Readonly<Record<string, Schema>>

const attributeProperties = (fields: ReadonlyMap<string, Field>): Properties =>
  Object.fromEntries(
    [...fields].map(([name, { type, title }]) => [
      name,
      {
        ...makeReference('schemas', valueSchemaNames[type]),
        ...(title !== undefined && { description: title }),
      },
    ]),
  )

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
  collections: Iterable<{ name: string; fields: ReadonlyMap<string, Field> }>,
  uniqueName: (name: string) => string,
) => {
  const schemas: Record<string, Schema> = {}
  const names = new Map<string, ReplySchemas>()
  let bytes = 0
  for (const { name, fields } of collections) {
    const properties = attributeProperties(fields)
    bytes += Buffer.byteLength(JSON.stringify(properties))
    if (bytes > attributesBytesMax) break
    const description = `Attributes of the documents of ${name}`
    const attributes = { type: 'object', description, properties, additionalProperties: true }
    const described = replySchemas(pascalCase([name]), attributes, uniqueName)
    Object.assign(schemas, described.schemas)
    names.set(name, described.names)
  }
  return { schemas, names }
}
