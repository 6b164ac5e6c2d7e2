/** The parameters of operations in OpenAPI documents: those of paths, and the query parameters. */
import { makeReference, type Parameter } from '#http/openapi'
import { formats } from './formats/formats.ts'
import { countMax, offsetMax, rankMax } from './options.ts'

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

export const configOption = (schema: Parameter['schema']) =>
  option('config', 'Name of a configuration', { ...schema, default: 'default' })

/** Query parameters. */
export const options = {
  count: option('count', 'Items on the page', {
    type: 'integer',
    minimum: 1,
    maximum: countMax,
    default: 10,
  }),
  offset: option('offset', 'Items before the page', {
    type: 'integer',
    minimum: 0,
    maximum: offsetMax,
    default: 0,
  }),
  cutoff: option('cutoff', 'Minimum probability of a result', {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 0,
  }),
  format: option('format', 'Format of the reply; if absent, the Accept header decides', {
    type: 'string',
    enum: formats,
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
export const referTo = (...names: ('config' | keyof typeof options)[]) =>
  names.map(name => makeReference('parameters', name))
