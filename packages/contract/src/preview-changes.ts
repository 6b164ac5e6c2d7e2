/** Unsaved changes of a definition, which a query can try (docs/relevance.md, "Try settings before you save them"). */
import { definitionFaults } from './definition-faults.ts'
import { type Endpoint, endpointSchemas } from './endpoints.ts'
import { listNames } from './nearest-names.ts'
import { type Static, Type } from './schema.ts'
import { type Fault, schemaFaults } from './schema-faults.ts'
import { type Api, Curation, type Definition, type Field } from './workspace-file.ts'
import { workspaceLimits as limits } from './workspace-limits.ts'
import { closed, FieldName, namedRecord } from './workspace-names.ts'

const Weight = Type.Number({ exclusiveMinimum: 0, maximum: 1000 })

/**
 * Only what ranks: weights of text fields by collection, endpoints of the API, and its curation, which is replaced as a whole. Fields, access,
 * configurations and row filters can't be changed.
 */
export const PreviewChanges = Type.Object(
  {
    weights: Type.Optional(
      namedRecord(
        Type.Record(FieldName, Weight, { maxProperties: limits.fieldsPerCollection }),
        limits.collections,
      ),
    ),
    endpoints: Type.Optional(namedRecord(Type.Union(Object.values(endpointSchemas)), limits.endpointsPerApi)),
    curation: Type.Optional(Type.Array(Curation, { maxItems: limits.curationRulesPerApi })),
  },
  closed,
)
export interface PreviewChanges {
  weights?: Record<string, Record<string, number>>
  endpoints?: Record<string, Endpoint>
  curation?: Static<typeof Curation>[]
}

/** Returns the definition with the changes, or the faults of the changes. The definition itself stays as it is. */
export const changeDefinition = (
  definition: Definition,
  apiName: string,
  value: unknown,
): { definition: Definition } | { faults: Pick<Fault, 'path' | 'message'>[] } => {
  const shape = schemaFaults(PreviewChanges, value)
  if (shape.length > 0) return { faults: shape }
  // The schema accepted it. The interface equals the schema, with endpoints as a union by kind.
  const { weights = {}, endpoints = {}, curation } = value as PreviewChanges
  const faults = weightFaults(definition, weights)
  if (faults.length > 0) return { faults }
  const api = definition.apis?.[apiName] ?? {}
  const changedApi: Api = {
    ...api,
    endpoints: { ...api.endpoints, ...endpoints },
    ...(curation && { curation }),
  }
  const changed: Definition = {
    ...definition,
    collections: changeWeights(definition, weights),
    apis: { ...definition.apis, [apiName]: changedApi },
  }
  const { workspace, collections = {} } = changed
  const checkedFile = { workspace, collections, apis: { [apiName]: changedApi } }
  for (const { path, message } of definitionFaults(checkedFile))
    return { faults: [{ path: path.slice(2), message }] }
  return { definition: changed }
}

const weightFaults = ({ collections = {} }: Definition, weights: NonNullable<PreviewChanges['weights']>) =>
  Object.entries(weights).flatMap(([name, byField]) => {
    const collection = Object.hasOwn(collections, name) ? collections[name] : undefined
    if (!collection)
      return [
        {
          path: ['weights', name],
          message: `no collection "${name}"; there are: ${listNames(Object.keys(collections))}`,
        },
      ]
    const texts = Object.entries(collection.fields ?? {}).filter(([, { type }]) => type === 'text')
    const textNames = texts.map(([field]) => field)
    return Object.keys(byField)
      .filter(field => !textNames.includes(field))
      .map(field => ({
        path: ['weights', name, field],
        message: `no text field "${field}"; there are: ${listNames(textNames)}`,
      }))
  })

const changeWeights = (
  { collections = {} }: Definition,
  weights: NonNullable<PreviewChanges['weights']>,
): NonNullable<Definition['collections']> =>
  Object.fromEntries(
    Object.entries(collections).map(([name, collection]) => {
      const byField = Object.hasOwn(weights, name) ? weights[name] : undefined
      if (!byField) return [name, collection]
      const fields = Object.entries(collection.fields ?? {}).map(([field, settings]): [string, Field] => {
        const weight = Object.hasOwn(byField, field) ? byField[field] : undefined
        return [field, settings.type === 'text' && weight !== undefined ? { ...settings, weight } : settings]
      })
      return [name, { ...collection, fields: Object.fromEntries(fields) }]
    }),
  )
