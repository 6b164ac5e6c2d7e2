/** The tools of an API: one for each endpoint that can start a query. Pure; made once for each version of the definition. */
import type { JSONObject, Tool } from '@modelcontextprotocol/server'
import { queryOptions, type ToolOptionName, toolOptionNames } from '@querent/contract/query-options'
import { startCollection } from '#query/openapi/stacks'
import type { CompiledApi } from '#query/plan/compile'
import { listsOptions, type Parameter, type Step } from '#query/plan/step'
import { type FacetChoice, listFacetChoices } from './facet-choices.ts'
import { briefResultsSchema, resultsSchema } from './tool-results.ts'

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
  facets: readonly FacetChoice[]
  sorts: readonly string[]
}

/** Arguments that refine the query, besides the options of queries. */
const refinementNames = ['filters', 'sort', 'facets'] as const
type RefinementName = (typeof refinementNames)[number]
type OptionName = ToolOptionName | RefinementName

/**
 * Beyond one of these, the list of tools is brief: tools name neither facets nor sorts, and don't describe their results in detail. Each tool
 * has a schema of its own, so the names would be in the list once for each tool, and no model could read it.
 */
const detailedToolsMax = 40
/** Names of facets and sorts, counted once for each tool that offers them. */
const detailedNamesMax = 250

export interface ApiTools {
  /** In the order of the endpoints; `fetch` is last. */
  list: readonly Tool[]
  byName: ReadonlyMap<string, ApiTool>
  /** Facets and sorts are described outside of the tools, see {@link describeRefinements}. */
  isBrief: boolean
}

const toolsByApi = new WeakMap<CompiledApi, ApiTools>()

/** Describes the tools of an API. */
export const describeTools = (api: CompiledApi): ApiTools => {
  const cachedTools = toolsByApi.get(api)
  if (cachedTools) return cachedTools
  const tools = makeTools(api)
  toolsByApi.set(api, tools)
  return tools
}

/** Facets and sorts of a collection, with their titles. */
export const describeRefinements = (api: CompiledApi, collection: string) => {
  const describe = (name: string) => ({ name, title: api.steps.get(name)?.title ?? name })
  return {
    facets: listFacetChoices(api, collection).map(({ name, title }) => ({ name, title })),
    sorts: sortNames(api, collection).map(describe),
  }
}

const makeTools = (api: CompiledApi): ApiTools => {
  const refinements = new Map<string, Refinements>(
    api.collections.map(collection => [
      collection,
      { facets: listFacetChoices(api, collection), sorts: sortNames(api, collection) },
    ]),
  )
  const starts = [...api.steps.values()].flatMap(step => {
    const collection = startCollection(api, step)
    return collection === undefined || step.filteredFacet !== undefined ? [] : [{ step, collection }]
  })
  const searches = starts.filter(({ step }) => step.kind !== 'lookup')
  const names = searches.reduce((sum, { step, collection }) => {
    const { facets = [], sorts = [] } = refinements.get(collection) ?? {}
    return listsOptions(step) ? sum : sum + 2 * facets.length + sorts.length
  }, 0)
  const isBrief = searches.length > detailedToolsMax || names > detailedNamesMax
  const tools = searches.map(({ step, collection }) =>
    describeTool(api, step, collection, refinements.get(collection) ?? { facets: [], sorts: [] }, isBrief),
  )
  const lookups = starts.filter(({ step }) => step.kind === 'lookup')
  const [first] = lookups
  if (first)
    tools.push(
      describeFetch(
        api,
        lookups.map(({ step }) => step),
        first.collection,
        isBrief,
      ),
    )
  return {
    list: tools.map(({ tool }) => tool),
    byName: new Map(tools.map(each => [each.tool.name, each])),
    isBrief,
  }
}

interface Refinements {
  facets: readonly FacetChoice[]
  sorts: readonly string[]
}

const describeTool = (
  api: CompiledApi,
  step: Step,
  collection: string,
  { facets, sorts }: Refinements,
  isBrief: boolean,
): ApiTool => {
  const listed = isBrief ? `names of facets and sorts: ${refinementsUri(collection)}` : undefined
  const parameterNames = new Set(step.parameters.map(({ name }) => name))
  const offered: Record<RefinementName, JSONObject | undefined> = {
    // A facet returns options, which nothing refines further.
    filters: listsOptions(step) ? undefined : describeFilters(facets, listed),
    sort:
      listsOptions(step) || sorts.length === 0
        ? undefined
        : listed
          ? { type: 'string', description: 'Order' }
          : { type: 'string', enum: [...sorts], description: `Order: ${describeNames(api, sorts)}` },
    facets:
      listsOptions(step) || facets.length === 0
        ? undefined
        : {
            type: 'array',
            items: listed ? { type: 'string' } : { type: 'string', enum: facets.map(({ name }) => name) },
            maxItems: facetsMax,
            uniqueItems: true,
            ...(!isBrief && { description: 'Facets to count values of' }),
          },
  }
  const schemas: readonly (readonly [OptionName, JSONObject | undefined])[] = [
    ...toolOptionNames.map(name => [name, describeOption(name, isBrief)] as const),
    ...refinementNames.map(name => [name, offered[name]] as const),
  ]
  const options = schemas.flatMap(([name, schema]) =>
    schema === undefined || parameterNames.has(name) ? [] : [[name, schema] as const],
  )
  const properties: Record<string, JSONObject> = Object.fromEntries(options)
  for (const parameter of step.parameters)
    properties[parameter.name] = describeParameter(parameter, vectorLength(api, step, collection))
  return {
    tool: {
      name: step.name,
      title: step.title,
      description: describeEndpoint(step, collection, isBrief),
      inputSchema: {
        type: 'object',
        properties: orderByParameters(properties, step.parameters),
        required: step.parameters.filter(({ required }) => required).map(({ name }) => name),
        additionalProperties: false,
      },
      outputSchema: isBrief ? briefResultsSchema : resultsSchema,
      annotations: isBrief ? { readOnlyHint: true } : readOnly(step.title),
    },
    starts: [step],
    collection,
    options: new Set(options.map(([name]) => name)),
    facets,
    sorts,
  }
}

const describeOption = (name: ToolOptionName, isBrief: boolean): JSONObject => {
  const { type, min, max, default: defaultValue, tool } = queryOptions[name]
  return {
    type,
    minimum: min,
    maximum: max,
    default: defaultValue,
    ...(!isBrief && { description: tool }),
  }
}

/** Other lookups have the same parameter under their own names, so the tool calls it `id`. */
const describeFetch = (
  api: CompiledApi,
  lookups: readonly Step[],
  collection: string,
  isBrief: boolean,
): ApiTool => {
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
      outputSchema: isBrief ? briefResultsSchema : resultsSchema,
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

/** Resource with the facets and sorts of a collection. */
export const refinementsUri = (collection: string): string =>
  `querent://collections/${encodeURIComponent(collection)}/facets`

/** `listed`: where the names are, if not here. */
const describeFilters = (
  facets: readonly FacetChoice[],
  listed: string | undefined,
): JSONObject | undefined => {
  if (facets.length === 0) return undefined
  const value = { type: ['string', 'number', 'boolean'] }
  if (listed)
    return {
      type: 'object',
      additionalProperties: { type: 'array', maxItems: 100 },
      description: `Facet to values; ${listed}`,
    }
  return {
    type: 'object',
    properties: Object.fromEntries(
      facets.map(({ name, title }) => [
        name,
        {
          type: 'array',
          items: value,
          minItems: 1,
          maxItems: 100,
          description: title,
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
  box: { type: 'string', description: 'South, west, north and east: 52.3,4.8,52.4,5' },
  polygon: {
    type: 'string',
    description: 'Latitude and longitude of each corner in turn: 52.3,4.8,52.4,4.9,52.3,5',
  },
}

/** `length` is the number of components of a vector, if known. */
const describeParameter = ({ type, among }: Parameter, length: number | undefined): JSONObject => ({
  ...(parameterTypes[type] ?? { type: 'string' }),
  ...(among && { enum: among }),
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
  facets: 'The facets that have values, with their number of documents and of values.',
  sort: 'All documents in an order.',
  collapse: 'One document, the first, for each value of a field.',
  lookup: 'Documents by their ids.',
  all: 'All documents.',
  similar: 'Documents similar to the one with the id.',
  nearest: 'Documents that are nearest in meaning.',
  mix: 'Search that combines several searches.',
  any: 'Documents that fulfil one of several conditions.',
  together: 'Documents of which one element of a list fulfils all conditions.',
  area: 'Documents with a place in a box or a polygon.',
  boost: 'All documents, the most important first.',
}

/** `isBrief`: without the title, which the tool has too. */
const describeEndpoint = (step: Step, collection: string, isBrief: boolean): string => {
  const text = `${kindTexts[step.kind]} Collection: ${collection}.`
  return isBrief || step.title === step.name ? text : `${step.title}. ${text}`
}
