/** The tools of an API: one for each endpoint that can start a query. Pure; made once for each version of the definition. */
import type { JSONObject, Tool } from '@modelcontextprotocol/server'
import { facetNames, startCollection } from '#query/openapi/stacks'
import type { CompiledApi } from '#query/plan/compile'
import type { Parameter, Step } from '#query/plan/step'
import { resultsSchema } from './tool-results.ts'

/** Results of one call. */
export const countMax = 1000
export const countDefault = 10
export const offsetMax = 10_000
/** Facets whose values one call returns. */
export const facetsMax = 10
/** Name of the tool that returns a document by its id. */
const fetchName = 'fetch'

/** A tool, with what its calls need. */
export interface ApiTool {
  tool: Tool
  /** The endpoint that starts the query. For the tool `fetch`: the lookups, which are tried in this order. */
  starts: readonly Step[]
  collection: string
  /** Names of the arguments that are not parameters of the endpoint. */
  options: ReadonlySet<OptionName>
  facets: readonly string[]
  sorts: readonly string[]
}

const optionNames = ['count', 'offset', 'filters', 'sort', 'facets'] as const
type OptionName = (typeof optionNames)[number]

const toolsByApi = new WeakMap<CompiledApi, readonly ApiTool[]>()

/** Lists the tools of an API, in the order of its endpoints; `fetch` is last. */
export const describeTools = (api: CompiledApi): readonly ApiTool[] => {
  const cachedTools = toolsByApi.get(api)
  if (cachedTools) return cachedTools
  const tools = listTools(api)
  toolsByApi.set(api, tools)
  return tools
}

const listTools = (api: CompiledApi): ApiTool[] => {
  const starts = [...api.steps.values()].flatMap(step => {
    const collection = startCollection(api, step)
    return collection === undefined || step.filteredFacet !== undefined ? [] : [{ step, collection }]
  })
  const tools = starts
    .filter(({ step }) => step.kind !== 'lookup')
    .map(({ step, collection }) => describeTool(api, step, collection))
  const lookups = starts.filter(({ step }) => step.kind === 'lookup')
  const [first] = lookups
  if (first)
    tools.push(
      describeFetch(
        api,
        lookups.map(({ step }) => step),
        first.collection,
      ),
    )
  return tools
}

const describeTool = (api: CompiledApi, step: Step, collection: string): ApiTool => {
  const facets = facetNames(api, collection)
  const sorts = sortNames(api, collection)
  const parameterNames = new Set(step.parameters.map(({ name }) => name))
  const offered: Record<OptionName, JSONObject | undefined> = {
    count: {
      type: 'integer',
      minimum: 1,
      maximum: countMax,
      default: countDefault,
      description: 'Number of results',
    },
    offset: { type: 'integer', minimum: 0, maximum: offsetMax, default: 0, description: 'Results to skip' },
    // A facet returns options, which nothing refines further.
    filters: step.kind === 'facet' ? undefined : describeFilters(api, facets),
    sort:
      step.kind === 'facet' || sorts.length === 0
        ? undefined
        : { type: 'string', enum: sorts, description: `Order: ${describeNames(api, sorts)}` },
    facets:
      step.kind === 'facet' || facets.length === 0
        ? undefined
        : {
            type: 'array',
            items: { type: 'string', enum: facets },
            maxItems: facetsMax,
            uniqueItems: true,
            description: 'Facets to count values of',
          },
  }
  const options = optionNames.filter(name => offered[name] !== undefined && !parameterNames.has(name))
  const properties: Record<string, JSONObject> = Object.fromEntries(
    options.map(name => [name, offered[name] ?? {}]),
  )
  for (const parameter of step.parameters)
    properties[parameter.name] = describeParameter(parameter, vectorLength(api, step, collection))
  return {
    tool: {
      name: step.name,
      title: step.title,
      description: describeEndpoint(step, collection),
      inputSchema: {
        type: 'object',
        properties: orderByParameters(properties, step.parameters),
        required: step.parameters.filter(({ required }) => required).map(({ name }) => name),
        additionalProperties: false,
      },
      outputSchema: resultsSchema,
      annotations: readOnly(step.title),
    },
    starts: [step],
    collection,
    options: new Set(options),
    facets,
    sorts,
  }
}

/** Other lookups have the same parameter under their own names, so the tool calls it `id`. */
const describeFetch = (api: CompiledApi, lookups: readonly Step[], collection: string): ApiTool => {
  const isTaken = (candidate: string) =>
    api.endpointNames.has(candidate) && lookups.every(step => step.name !== candidate)
  let name = fetchName
  while (isTaken(name)) name += '-by-id'
  const title = 'Fetch a document by its id'
  return {
    tool: {
      name,
      title,
      description: `${title}. Ids are those of search results, or short ids.`,
      inputSchema: {
        type: 'object',
        properties: { id: { type: 'string', minLength: 1, description: 'Id of the document' } },
        required: ['id'],
        additionalProperties: false,
      },
      outputSchema: resultsSchema,
      annotations: readOnly(title),
    },
    starts: lookups,
    collection,
    options: new Set(),
    facets: [],
    sorts: [],
  }
}

const readOnly = (title: string): Tool['annotations'] => ({
  title,
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
})

/** Models fill in arguments in this order. */
const orderByParameters = (
  properties: Readonly<Record<string, JSONObject>>,
  parameters: readonly Parameter[],
): Record<string, JSONObject> => {
  const names = [...parameters.map(({ name }) => name), ...Object.keys(properties)]
  return Object.fromEntries([...new Set(names)].map(name => [name, properties[name] ?? {}]))
}

/** Sorts that need no parameter. */
const sortNames = (api: CompiledApi, collection: string): string[] =>
  [...api.steps.values()]
    .filter(
      ({ kind, field, parameters }) =>
        kind === 'sort' &&
        field !== undefined &&
        api.views.get(collection)?.fields.has(field) === true &&
        parameters.every(({ required }) => !required),
    )
    .map(({ name }) => name)

const describeNames = (api: CompiledApi, names: readonly string[]): string =>
  names.map(name => `${name} (${api.steps.get(name)?.title ?? name})`).join(', ')

const describeFilters = (api: CompiledApi, facets: readonly string[]): JSONObject | undefined => {
  if (facets.length === 0) return undefined
  const value = { type: ['string', 'number', 'boolean'] }
  return {
    type: 'object',
    properties: Object.fromEntries(
      facets.map(name => [
        name,
        {
          type: 'array',
          items: value,
          minItems: 1,
          maxItems: 100,
          description: api.steps.get(name)?.title ?? name,
        },
      ]),
    ),
    additionalProperties: false,
    description: 'Keep only documents that have one of the values of each facet',
  }
}

const parameterTypes: Readonly<Record<string, JSONObject>> = {
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  date: { type: 'string', description: 'A date such as 2026-01-31, or 2026-01-31T12:00:00Z' },
  vector: { type: 'array', items: { type: 'number' }, description: 'The vector' },
  point: { type: 'string', description: 'Latitude and longitude: 52.37,4.89' },
  circle: { type: 'string', description: 'Latitude, longitude and distance: 52.37,4.89,10km' },
}

/** `length` is the number of components of a vector, if known. */
const describeParameter = ({ type }: Parameter, length: number | undefined): JSONObject => ({
  ...(parameterTypes[type] ?? { type: 'string' }),
  ...(type === 'vector' && length !== undefined && { minItems: length, maxItems: length }),
})

const vectorLength = (api: CompiledApi, { field }: Step, collection: string): number | undefined => {
  const declared = field === undefined ? undefined : api.views.get(collection)?.fields.get(field)
  return declared?.type === 'vector' ? declared.dimensions : undefined
}

const kindTexts: Readonly<Record<Step['kind'], string>> = {
  match: 'Full-text search. Quotes enclose a phrase, and a minus sign excludes a word.',
  filter: 'Documents with a value.',
  range: 'Documents with a value between two bounds, both inclusive.',
  facet: 'The values of a field with their number of documents.',
  sort: 'All documents in an order.',
  lookup: 'Documents by their ids.',
  all: 'All documents.',
  similar: 'Documents similar to the one with the id.',
  nearest: 'Documents that are nearest in meaning.',
  mix: 'Search that combines several searches.',
  any: 'Documents that fulfil one of several conditions.',
  boost: 'All documents, the most important first.',
}

const describeEndpoint = (step: Step, collection: string): string => {
  const text = `${kindTexts[step.kind]} Collection: ${collection}.`
  return step.title === step.name ? text : `${step.title}. ${text}`
}
