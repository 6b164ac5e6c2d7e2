/** Parameters of a path that go to every endpoint of the stack which has one of the name (query-service.md, Paths). */
import type { ApiRequest, PathParameter } from '@querent/contract/paths'
import { formatIgnoredParameters } from '#http/ignored-parameters'
import type { CompiledApi } from './compile.ts'

type StackRequest = Extract<ApiRequest, { stack: unknown }>

/** A request whose endpoints have the context parameters. `facetParameters` are those of the facet whose options are requested. */
type Filled<Request extends StackRequest> = Request & { facetParameters?: PathParameter[] }

/**
 * Adds context parameters to the endpoints that have them; an endpoint's own value wins. `ignored` is the value of the header that names
 * those which no endpoint has. Unknown endpoints stay as they are: planning rejects them.
 */
export const fillContext = <Request extends StackRequest>(
  { steps }: Pick<CompiledApi, 'steps'>,
  request: Request,
): { request: Filled<Request>; ignored: string | undefined } => {
  const { context, stack } = request
  if (context === undefined) return { request, ignored: undefined }
  const knownNames = new Set<string>()
  const fill = (endpoint: string, parameters: readonly PathParameter[]): PathParameter[] => {
    const names = new Set(steps.get(endpoint)?.parameters.map(({ name }) => name))
    for (const name of names) knownNames.add(name)
    const ownNames = new Set(parameters.map(({ name }) => name))
    const added = context.filter(({ name }) => names.has(name) && !ownNames.has(name))
    return [...parameters, ...added]
  }
  const filledStack = stack.map(({ endpoint, parameters }) => ({
    endpoint,
    parameters: fill(endpoint, parameters),
  }))
  const facetParameters = request.kind === 'options' ? fill(request.facet, []) : []
  // TypeScript doesn't see that the request keeps its kind.
  const filled = {
    ...request,
    stack: filledStack,
    ...(facetParameters.length > 0 && { facetParameters }),
  } as Filled<Request>
  const ignoredNames = context.map(({ name }) => name).filter(name => !knownNames.has(name))
  return {
    request: filled,
    ignored: ignoredNames.length > 0 ? formatIgnoredParameters(ignoredNames, [...knownNames]) : undefined,
  }
}
