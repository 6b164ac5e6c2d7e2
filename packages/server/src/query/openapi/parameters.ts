/** The parameters of operations in OpenAPI documents: those of paths, and the query parameters. */
import { makeReference, type Parameter, type Reference } from '#http/openapi'
import type { Schema } from '#http/openapi-schemas'
import { formats } from '#query/formats/formats'
import { countMax, offsetMax, rankMax } from '#query/options'
import { pascalCase } from './names.ts'
import type { PathVariable } from './stacks.ts'

export const inPath = (name: string, description: string, schema: Parameter['schema']): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
})
const option = (name: string, description: string, schema: Parameter['schema']): Parameter => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
})
const booleanSchema = { type: 'boolean', default: false }

/** Query parameters. */
const options = {
  config: option('config', 'Name of a configuration, default `default`', {
    ...makeReference('schemas', 'ConfigurationName'),
  }),
  count: option('count', 'Items on the page', {
    type: 'integer',
    minimum: 1,
    maximum: countMax,
    default: 10,
  }),
  // Without `default`: some clients send defaults, and `cursor` and `offset` exclude each other.
  offset: option('offset', 'Items before the page, default 0', {
    type: 'integer',
    minimum: 0,
    maximum: offsetMax,
  }),
  cursor: option(
    'cursor',
    'Pages through the whole result: * for the first page, then the `next` of the previous reply. Not together with `offset`. Any other text is an error (400).',
    // Tests of servers can make up no others.
    { type: 'string', format: 'cursor', pattern: '^(\\*|[A-Za-z0-9_-]{22,})$', examples: ['*'] },
  ),
  cutoff: option('cutoff', 'Minimum probability of a result', {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 0,
  }),
  format: option('format', 'Format of the reply; if absent, the Accept header decides', {
    ...makeReference('schemas', 'Format'),
  }),
  homogeneousArrays: option(
    'homogeneousArrays',
    'A tuple is an object with the keys "1", "2", …',
    booleanSchema,
  ),
  attributes: option('attributes', 'Return only these attributes: names separated by commas', {
    type: 'string',
  }),
  highlight: option('highlight', 'Add snippets with the matches', booleanSchema),
  parts: option('parts', 'Add the rank of each document in the parts of a mix', booleanSchema),
  rank: option('rank', 'Rank of the result, from 1', {
    type: 'integer',
    minimum: 1,
    maximum: rankMax,
    default: 1,
  }),
  column: option('column', 'Column of the tuple, from 1', {
    type: 'integer',
    minimum: 1,
    maximum: 1,
    default: 1,
  }),
  multiselect: option('multiselect', "The facet's own selection does not narrow its counts", booleanSchema),
  query: option('query', 'Return only options with a word that starts with this text', { type: 'string' }),
}
export type OptionName = keyof typeof options

/** The name of the component of a query parameter. Generators make types of components, so no schema has the name. */
const componentName = (name: string) => `${name}Option`

export const referToOptions = (...names: OptionName[]) =>
  names.map(name => makeReference('parameters', componentName(name)))

/** The components of all query parameters. They refer to {@link optionSchemas}. */
export const optionComponents: Record<string, Parameter> = Object.fromEntries(
  Object.entries(options).map(([name, parameter]) => [componentName(name), parameter]),
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
