/** Resources of an API's MCP server: the fields of its collections, and the values of its facets. */
import { type ReadResourceResult, type Resource, ResourceNotFoundError } from '@modelcontextprotocol/server'
import type { ErrorReply } from '@querent/contract/errors'
import { readString } from '#http/large-text'
import { type BatchScope, runQueries } from '#query/batch'
import type { Caller } from '#query/cache/not-modified'
import type { CompiledApi } from '#query/plan/compile'
import { type FacetChoice, listFacetChoices } from './facet-choices.ts'
import { describeRefinements, describeTools, refinementsUri } from './tools.ts'

const mimeType = 'application/json'
/** Values of a facet in its resource, the most frequent first. */
const valuesMax = 1000

/** Resources in the list of an API. Others can be read too. */
export const resourcesListedMax = 1000

interface ApiResource {
  resource: Resource
  /** Makes its content. */
  read(scope: BatchScope): Promise<string> | string
}

const makeResource = (path: string, name: string, title: string, description: string): Resource => ({
  uri: `querent://collections/${path}`,
  name,
  title,
  description,
  mimeType,
})

const describeFieldsResource = (api: CompiledApi, collection: string): ApiResource => ({
  resource: makeResource(
    `${encodeURIComponent(collection)}/fields`,
    `fields of ${collection}`,
    `Fields of ${collection}`,
    'Names, titles and types of the declared fields',
  ),
  read: () => describeFields(api, collection),
})

/** For APIs whose tools do not name their facets and sorts. */
const describeRefinementsResource = (api: CompiledApi, collection: string): ApiResource => ({
  resource: {
    ...makeResource(
      '',
      `facets and sorts of ${collection}`,
      `Facets and sorts of ${collection}`,
      'Names for the arguments filters, facets and sort of the tools',
    ),
    uri: refinementsUri(collection),
  },
  read: () => JSON.stringify(describeRefinements(api, collection)),
})

/** Undefined if no endpoint finds all documents of the collection. */
const describeValuesResource = (
  api: CompiledApi,
  collection: string,
  { name, title, facet, field }: FacetChoice,
  start: string | undefined,
): ApiResource | undefined => {
  const step = api.steps.get(facet)
  // A facet with a collection of its own lists the values of all its documents.
  const facetStart = step?.collection === collection ? '' : start
  if (facetStart === undefined) return undefined
  return {
    resource: makeResource(
      `${encodeURIComponent(collection)}/facets/${encodeURIComponent(name)}`,
      `values of ${name} in ${collection}`,
      `Values of ${title}`,
      `The ${valuesMax} most frequent values, with their number of documents`,
    ),
    read: scope =>
      runPath(
        scope,
        `${facetStart}${field ? `c/${encodeURIComponent(field.name)}/${encodeURIComponent(field.value)}/` : ''}options/${encodeURIComponent(facet)}?count=${valuesMax}`,
      ),
  }
}

function* describeResources(api: CompiledApi): Generator<ApiResource> {
  const { isBrief } = describeTools(api)
  for (const collection of api.collections) {
    yield describeFieldsResource(api, collection)
    if (isBrief) yield describeRefinementsResource(api, collection)
  }
  for (const collection of api.collections) {
    const start = startPath(api, collection)
    for (const facet of listFacetChoices(api, collection)) {
      const values = describeValuesResource(api, collection, facet, start)
      if (values) yield values
    }
  }
}

/** The start of a query over all documents of the collection. Undefined if no endpoint gives all of them. */
const startPath = (api: CompiledApi, collection: string): string | undefined => {
  if (api.collections.length === 1) return ''
  const allEndpoint = [...api.steps.values()].find(
    step => step.kind === 'all' && step.collection === collection,
  )
  return allEndpoint && `e/${encodeURIComponent(allEndpoint.name)}/`
}

const resourcesByApi = new WeakMap<CompiledApi, readonly Resource[]>()

export const listResources = ({ api }: Pick<Caller, 'api'>): readonly Resource[] => {
  const cachedResources = resourcesByApi.get(api)
  if (cachedResources) return cachedResources
  const resources: Resource[] = []
  for (const { resource } of describeResources(api)) {
    if (resources.length >= resourcesListedMax) break
    resources.push(resource)
  }
  resourcesByApi.set(api, resources)
  return resources
}

/** Throws {@link ResourceNotFoundError} for an unknown URI. The query for the values of a facet counts like any other. */
export const readResource = async (scope: BatchScope, uri: string): Promise<ReadResourceResult> => {
  const resource = findResource(scope.caller.api, uri)
  if (!resource) throw new ResourceNotFoundError(uri)
  return { contents: [{ uri, mimeType, text: await resource.read(scope) }] }
}

const uriPattern = /^querent:\/\/collections\/([^/]+)\/(?:(fields)|facets(?:\/([^/]+))?)$/

const findResource = (api: CompiledApi, uri: string): ApiResource | undefined => {
  const [, collectionText = '', fields, facetText] = uriPattern.exec(uri) ?? []
  const collection = api.collections.find(name => encodeURIComponent(name) === collectionText)
  if (collection === undefined) return undefined
  if (fields !== undefined) return describeFieldsResource(api, collection)
  if (facetText === undefined) return describeRefinementsResource(api, collection)
  const facet = listFacetChoices(api, collection).find(({ name }) => encodeURIComponent(name) === facetText)
  return facet === undefined
    ? undefined
    : describeValuesResource(api, collection, facet, startPath(api, collection))
}

const describeFields = (api: CompiledApi, collection: string): string => {
  const fields = [...(api.views.get(collection)?.fields ?? [])]
  return JSON.stringify(fields.map(([name, { type, title }]) => ({ name, title: title ?? name, type })))
}

const runPath = async (scope: BatchScope, path: string): Promise<string> => {
  const [answer] = await runQueries(scope, [path])
  if (!answer) throw new Error('a query has no answer')
  const text = readString(answer.body)
  if (answer.status === 200) return text
  // The contract's error reply.
  throw new Error((JSON.parse(text) as ErrorReply).message)
}
