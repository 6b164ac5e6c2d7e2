/**
 * The options of queries: the parameters after the question mark (query-service.md, Query parameters). To add one, add a row. The server reads
 * and describes options by their rows, also those of MCP tools, and the client's types are written from them.
 */
import type { RequestType } from './paths.ts'

/** The operations that take options. `file` is `results` in other formats than JSON. */
export type OptionRequest = RequestType | 'file' | 'options' | 'status' | 'batch'

/** Kinds of values. `position` counts from 1; one above `max` is a 404 later, not a bad option. `names` are separated by commas. */
type OptionValueRule =
  | { type: 'flag' | 'names' }
  | { type: 'text'; default?: string }
  | { type: 'choice'; values: readonly string[] }
  | {
      type: 'integer'
      min: number
      max: number
      default: number
      /** MCP tools offer it too, with this description for models. */
      tool?: string
    }
  | { type: 'number'; min: number; max: number; default: number }
  | { type: 'position'; max: number; default: 1 }

export type QueryOptionRow = OptionValueRule & {
  description: string
  requests: readonly OptionRequest[]
  /** It changes which documents are results. Plans, corrected texts and the scope of cursors depend on it. */
  narrows?: true
  /** More of the JSON Schema. */
  schema?: Readonly<Record<string, unknown>>
  /** The JSON Schema states no default: some clients send defaults, and `cursor` and `offset` exclude each other. */
  omitsDefault?: true
  /** The client offers it for the URLs of files only, or not at all. */
  client?: 'files' | 'none'
}

/** The formats of results. */
export const formats = ['json', 'csv', 'xlsx', 'xml', 'rdf'] as const
export type Format = (typeof formats)[number]

/** Items of a page. */
export const countMax = 1_000
/** Items before a page. */
export const offsetMax = 10_000
/** The last rank that a page can reach without a cursor. */
export const rankMax = offsetMax + countMax

const pages = ['results', 'results,count', 'resultpage', 'file'] as const
const counts = ['count', 'statistics'] as const

export const queryOptions = {
  config: {
    type: 'text',
    default: 'default',
    description: 'Name of a configuration',
    requests: [...pages, ...counts, 'resultitem', 'options', 'status', 'batch'],
  },
  format: {
    type: 'choice',
    values: formats,
    description: 'Format of the reply; if absent, the Accept header decides',
    requests: ['file'],
    client: 'files',
  },
  homogeneousArrays: {
    type: 'flag',
    description: 'A tuple is an object with the keys "1", "2", …',
    requests: ['file'],
    client: 'none',
  },
  count: {
    type: 'integer',
    min: 1,
    max: countMax,
    default: 10,
    description: 'Items on the page',
    tool: 'Number of results',
    requests: [...pages, 'options'],
  },
  offset: {
    type: 'integer',
    min: 0,
    max: offsetMax,
    default: 0,
    omitsDefault: true,
    description: 'Items before the page',
    tool: 'Results to skip',
    requests: [...pages, 'options'],
  },
  cursor: {
    type: 'text',
    // Tests of servers can make up no others.
    schema: { format: 'cursor', pattern: '^(\\*|[A-Za-z0-9_-]{22,})$', examples: ['*'] },
    description:
      'Pages through the whole result: * for the first page, then the `next` of the previous reply. Not together with `offset`. Any other text is an error (400).',
    requests: pages,
  },
  cutoff: {
    type: 'number',
    min: 0,
    max: 1,
    default: 0,
    narrows: true,
    description: 'Minimum probability of a result',
    requests: [...pages, ...counts, 'resultitem', 'options'],
  },
  attributes: {
    type: 'names',
    description: 'Return only these attributes: names separated by commas',
    requests: pages,
  },
  highlight: { type: 'flag', description: 'Add snippets with the matches', requests: pages },
  parts: {
    type: 'flag',
    description: 'Add the rank of each document in the parts of a mix',
    requests: pages,
  },
  rank: {
    type: 'position',
    max: rankMax,
    default: 1,
    description: 'Rank of the result, from 1',
    requests: ['resultitem'],
  },
  column: {
    type: 'position',
    max: 1,
    default: 1,
    description: 'Column of the tuple, from 1',
    requests: ['resultitem'],
    client: 'none',
  },
  multiselect: {
    type: 'flag',
    description: "The facet's own selection does not narrow its counts",
    requests: ['options'],
  },
  query: {
    type: 'text',
    description: 'Return only options with a word that starts with this text',
    requests: ['options'],
  },
} as const satisfies Readonly<Record<string, QueryOptionRow>>

type Rows = typeof queryOptions
export type QueryOptionName = keyof Rows
export const queryOptionNames = Object.keys(queryOptions) as readonly QueryOptionName[] // the keys of a constant

/** The options that MCP tools offer. */
export type ToolOptionName = {
  [Name in QueryOptionName]: Rows[Name] extends { tool: string } ? Name : never
}[QueryOptionName]
export const toolOptionNames: readonly ToolOptionName[] = queryOptionNames.filter(
  (name): name is ToolOptionName => 'tool' in queryOptions[name],
)

type OptionValue<Row extends QueryOptionRow> = Row extends { type: 'flag' }
  ? boolean
  : Row extends { type: 'integer' | 'number' | 'position' }
    ? number
    : Row extends { type: 'names' }
      ? string[] | undefined
      : Row extends { values: readonly (infer Value)[] }
        ? Value | undefined
        : Row extends { default: string }
          ? string
          : string | undefined

/** The values of all options, with their defaults. Undefined if an absent option has none. */
export type QueryOptionValues = { [Name in QueryOptionName]: OptionValue<Rows[Name]> }

/** The options that change which documents are results. */
export type NarrowingOptions = {
  [Name in QueryOptionName as Rows[Name] extends { narrows: true } ? Name : never]: QueryOptionValues[Name]
}
