/** Resources of an API's MCP server: the fields of its collections, and the values of its facets. */
import { type ReadResourceResult, type Resource, ResourceNotFoundError } from '@modelcontextprotocol/server'
import type { ErrorReply } from '@querent/contract/errors'
import { type BatchScope, runQueries } from '#query/batch'
import type { Caller } from '#query/cache/not-modified'
import { facetNames } from '#query/openapi/stacks'
import type { CompiledApi } from '#query/plan/compile'

const mimeType = 'application/json'
/** Values of a facet in its resource, the most frequent first. */
const valuesMax = 1000

interface ApiResource extends Resource {
  collection: string
  /** Set for the values of a facet: the path of the query that lists them. */
  path?: string
}

const describeResources = (api: CompiledApi): ApiResource[] =>
  api.collections.flatMap(collection => {
    const fields: ApiResource = {
      uri: `querent://collections/${encodeURIComponent(collection)}/fields`,
      name: `fields of ${collection}`,
      title: `Fields of ${collection}`,
      description: 'Names, titles and types of the declared fields',
      mimeType,
      collection,
    }
    const start = startPath(api, collection)
    const facets = facetNames(api, collection).flatMap((name): ApiResource[] => {
      // A facet with a collection of its own lists the values of all its documents.
      const facetStart = api.steps.get(name)?.collection === collection ? '' : start
      if (facetStart === undefined) return []
      const resource = {
        uri: `querent://collections/${encodeURIComponent(collection)}/facets/${encodeURIComponent(name)}`,
        name: `values of ${name} in ${collection}`,
        title: `Values of ${api.steps.get(name)?.title ?? name}`,
        description: `The ${valuesMax} most frequent values, with their number of documents`,
        mimeType,
        collection,
        path: `${facetStart}options/${encodeURIComponent(name)}?count=${valuesMax}`,
      }
      return [resource]
    })
    return [fields, ...facets]
  })

/** The start of a query over all documents of the collection. Undefined if no endpoint gives all of them. */
const startPath = (api: CompiledApi, collection: string): string | undefined => {
  if (api.collections.length === 1) return ''
  const allEndpoint = [...api.steps.values()].find(
    step => step.kind === 'all' && step.collection === collection,
  )
  return allEndpoint && `e/${encodeURIComponent(allEndpoint.name)}/`
}

export const listResources = ({ api }: Pick<Caller, 'api'>): Resource[] =>
  describeResources(api).map(({ collection: _, path: __, ...resource }) => resource)

/** Throws {@link ResourceNotFoundError} for an unknown URI. The query for the values of a facet counts like any other. */
export const readResource = async (scope: BatchScope, uri: string): Promise<ReadResourceResult> => {
  const { api } = scope.caller
  const resource = describeResources(api).find(candidate => candidate.uri === uri)
  if (!resource) throw new ResourceNotFoundError(uri)
  const text =
    resource.path === undefined
      ? describeFields(api, resource.collection)
      : await runPath(scope, resource.path)
  return { contents: [{ uri, mimeType, text }] }
}

const describeFields = (api: CompiledApi, collection: string): string => {
  const fields = [...(api.views.get(collection)?.fields ?? [])]
  return JSON.stringify(fields.map(([name, { type, title }]) => ({ name, title: title ?? name, type })))
}

const runPath = async (scope: BatchScope, path: string): Promise<string> => {
  const [answer] = await runQueries(scope, [path])
  if (answer?.status === 200) return answer.text
  // The contract's error reply.
  throw new Error((JSON.parse(answer?.text ?? '{}') as ErrorReply).message)
}
