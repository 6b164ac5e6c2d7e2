/** The parameters of operations in OpenAPI documents: those of paths, and the query parameters. */
import {
  formats,
  type OptionRequest,
  type QueryOptionName,
  type QueryOptionRow,
  queryOptionNames,
  queryOptions,
} from '@querent/contract/query-options'
import { makeReference, type Parameter, type Reference } from '#http/openapi'
import type { Schema } from '#http/openapi-schemas'
import { pascalCase } from './names.ts'
import type { PathVariable } from './stacks.ts'

export const inPath = (name: string, description: string, schema: Parameter['schema']): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
})

/** The options whose schemas are components: clients get a type of each. */
const schemaNames: Partial<Record<QueryOptionName, string>> = {
  config: 'ConfigurationName',
  format: 'Format',
}

const statedDefault = (row: QueryOptionRow): Schema =>
  'default' in row && !row.omitsDefault ? { default: row.default } : {}

const optionSchema = (name: QueryOptionName, row: QueryOptionRow): Schema => {
  const schemaName = schemaNames[name]
  if (schemaName !== undefined) return { ...makeReference('schemas', schemaName) }
  switch (row.type) {
    case 'flag':
      return { type: 'boolean', default: false }
    case 'choice':
      return { type: 'string', enum: row.values }
    case 'integer':
    case 'number':
      return { type: row.type, minimum: row.min, maximum: row.max, ...statedDefault(row) }
    case 'position':
      return { type: 'integer', minimum: 1, maximum: row.max, ...statedDefault(row) }
    default:
      return { type: 'string', ...row.schema, ...statedDefault(row) }
  }
}

const writeDefault = (value: string | number | undefined): string =>
  typeof value === 'string' ? `, default \`${value}\`` : `, default ${value}`

const describeOption = (name: QueryOptionName): Parameter => {
  const row: QueryOptionRow = queryOptions[name]
  const schema = optionSchema(name, row)
  const defaultText = 'default' in row && !('default' in schema) ? writeDefault(row.default) : ''
  return {
    name,
    in: 'query',
    required: false,
    description: `${row.description}${defaultText}`,
    schema,
  }
}

/** The name of the component of a query parameter. Generators make types of components, so no schema has the name. */
const componentName = (name: QueryOptionName) => `${name}Option`

/** The options that a request takes. */
export const referToOptions = (request: OptionRequest) =>
  queryOptionNames
    .filter(name => (queryOptions[name] as QueryOptionRow).requests.includes(request))
    .map(name => makeReference('parameters', componentName(name)))

/** The components of all query parameters. They refer to {@link optionSchemas}. */
export const optionComponents: Record<string, Parameter> = Object.fromEntries(
  queryOptionNames.map(name => [componentName(name), describeOption(name)]),
)

/** Schemas of query parameters. Generators make one type of each, whose name must be none of their runtime's. `configurations`: the names to choose from, undefined for any. */
export const optionSchemas = (configurations?: readonly string[]) => ({
  ConfigurationName: { type: 'string', ...(configurations && { enum: configurations }) },
  Format: { type: 'string', enum: formats },
})

/** Collects the parameters of a document, so that equal ones appear once. */
export const createParameterComponents = (uniqueName: (name: string) => string) => {
  const components: Record<string, Parameter> = {}
  const schemas: Record<string, Schema> = {}
  const facetSchemaNames = new Map<string, string>()
  const names = new Map<string, string>()
  const refer = (parameter: Parameter): Reference => {
    const text = JSON.stringify(parameter)
    const name = names.get(text) ?? uniqueName(pascalCase([parameter.name, 'parameter']))
    names.set(text, name)
    components[name] = parameter
    return makeReference('parameters', name)
  }
  const referToFacet = (facets: readonly string[]): Reference => {
    const text = JSON.stringify(facets)
    const name = facetSchemaNames.get(text) ?? uniqueName('FacetName')
    facetSchemaNames.set(text, name)
    schemas[name] = { type: 'string', enum: facets }
    return refer(inPath('facet', 'Name of a facet', { ...makeReference('schemas', name) }))
  }
  return {
    components,
    /** The schemas that the components refer to. */
    schemas,
    refer,
    referToFacet,
    referToVariable: (variable: PathVariable): Reference =>
      refer(inPath(variable.variable, describeValue(variable), valueSchema(variable))),
  }
}

const listKinds = ['filter', 'lookup']
const describeValue = ({ kind, type }: PathVariable): string =>
  listKinds.includes(kind)
    ? `A value of type ${type}, or a tuple list of several: 1(a)|0.5(b,c)`
    : `A value of type ${type}`

const valueSchema = ({ type, among }: PathVariable): Parameter['schema'] => {
  if (among) return { type: 'string', enum: among }
  switch (type) {
    case 'date':
      // A date-time is allowed too, but all generators support this form well.
      return { type: 'string', format: 'date' }
    case 'vector':
      return { type: 'array', items: { type: 'number' }, minItems: 1 }
    case 'point':
      return { type: 'string', examples: ['52.37,4.89'] }
    case 'circle':
      return { type: 'string', examples: ['52.37,4.89,10km'] }
    case 'box':
      return { type: 'string', examples: ['52.3,4.8,52.4,5'] }
    case 'polygon':
      return { type: 'string', examples: ['52.3,4.8,52.4,4.9,52.3,5'] }
    default:
      return { type }
  }
}
