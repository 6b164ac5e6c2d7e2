/**
 * The path grammar of the query service (query-service.md, Paths): the server reads paths, the client writes them. Each segment is
 * percent-encoded separately: split first, then decode each segment once.
 */

/** Version of the contract; the first segment of every path. */
export const contractVersion = '4'

export const requestTypes = [
  'results',
  'count',
  'statistics',
  'results,count',
  'resultpage',
  'resultitem',
] as const
export type RequestType = (typeof requestTypes)[number]

/** One parameter of a path. */
export interface PathParameter {
  name: string
  value: string
}

/** One endpoint of a stack with its parameters in the order of the path. */
export interface StackedEndpoint {
  endpoint: string
  parameters: PathParameter[]
}

/** `context` has the parameters for all endpoints of the stack that have one of the name; absent if there are none. */
export type ApiRequest =
  | { kind: 'about' | 'status' | 'openapi' | 'batch' | 'mcp' }
  | { kind: 'query'; stack: StackedEndpoint[]; context?: PathParameter[]; type: RequestType }
  | { kind: 'options'; stack: StackedEndpoint[]; context?: PathParameter[]; facet: string }

export class PathError extends Error {}

/** Decodes one segment. Throws {@link PathError} on malformed percent-encoding or bytes that are not UTF-8. */
export const decodeSegment = (segment: string): string => {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    throw new PathError(
      `malformed percent-encoding in the path segment "${segment.slice(0, 100)}": write each byte of UTF-8 as %XX`,
    )
  }
}

const isRequestType = (word: string): word is RequestType =>
  (requestTypes as readonly string[]).includes(word)

/** The words before the name of an endpoint and of a parameter. Existing clients also write the long ones, and `q`. */
const endpointWords: ReadonlySet<string | undefined> = new Set(['e', 'q', 'endpoint'])
const parameterWords: ReadonlySet<string | undefined> = new Set(['p', 'parameter'])
const contextWord = 'c'

/** Whether a name follows this word of a path: that of an endpoint or a parameter. */
export const startsPart = (word: string): 'endpoint' | 'parameter' | undefined => {
  if (endpointWords.has(word)) return 'endpoint'
  return parameterWords.has(word) || word === contextWord ? 'parameter' : undefined
}

const readParameter = (segments: readonly string[], index: number): PathParameter => {
  const [word, name, value] = segments.slice(index, index + 3)
  if (name === undefined || name === '')
    throw new PathError(`a parameter's name is missing after "/${word}/"`)
  if (value === undefined)
    throw new PathError(`the parameter "${name}" has no value: write /${word}/{name}/{value}`)
  return { name, value }
}

/** Reads endpoints and parameters up to the first other word. */
const readStack = (
  segments: readonly string[],
): { stack: StackedEndpoint[]; context: PathParameter[]; rest: readonly string[] } => {
  const stack: StackedEndpoint[] = []
  const context: PathParameter[] = []
  let index = 0
  for (;;) {
    const word = segments[index]
    const last = stack.at(-1)
    if (endpointWords.has(word)) {
      const endpoint = segments[index + 1]
      if (endpoint === undefined || endpoint === '')
        throw new PathError(`an endpoint's name is missing after "/${word}/"`)
      stack.push({ endpoint, parameters: [] })
      index += 2
    } else if (word === contextWord) {
      const parameter = readParameter(segments, index)
      if (context.some(({ name }) => name === parameter.name))
        throw new PathError(`the context parameter "${parameter.name}" is given twice; allowed: once`)
      context.push(parameter)
      index += 3
    } else if (last && parameterWords.has(word)) {
      last.parameters.push(readParameter(segments, index))
      index += 3
    } else return { stack, context, rest: segments.slice(index) }
  }
}

/**
 * Parses the segments after `/4/{workspace}/api/{api}`. They are still encoded, the fixed words of the grammar too. `[]` and `['']` ask for
 * the description of the API. Throws {@link PathError} that names the segment and what is allowed there.
 */
export const readApiRequest = (encoded: readonly string[]): ApiRequest => {
  const segments = encoded.map(decodeSegment)
  const [first, ...tail] = segments
  if (first === undefined || (first === '' && tail.length === 0)) return { kind: 'about' }
  // A slash at the end means nothing here: clients and proxies add one.
  if (segments.length === 1 || (segments.length === 2 && tail[0] === '')) {
    if (first === 'status' || first === 'batch' || first === 'mcp') return { kind: first }
    // Existing clients also write `swagger.json`.
    if (first === 'openapi.json' || first === 'swagger.json') return { kind: 'openapi' }
  }
  const { stack, context, rest } = readStack(segments)
  const withContext = context.length === 0 ? {} : { context }
  if (rest[0] === 'options' && rest.length === 2 && rest[1])
    return { kind: 'options', stack, ...withContext, facet: rest[1] }
  const type = rest[0]
  if (stack.length > 0 && rest.length === 1 && type !== undefined && isRequestType(type))
    return { kind: 'query', stack, ...withContext, type }
  const remainder = rest.join('/')
  if (stack.length === 0)
    throw new PathError(
      `"${remainder.slice(0, 100)}" is not a request: continue the path with e/{endpoint}, c/{name}/{value}, options/{facet} or status, or end it`,
    )
  if (remainder === '')
    throw new PathError(
      `the request is missing at the end of the path: ${requestTypes.join(', ')} or options/{facet}`,
    )
  throw new PathError(
    `"${remainder.slice(0, 100)}" is not a request: allowed are ${requestTypes.join(', ')}, options/{facet}, and e/{endpoint}, p/{name}/{value} or c/{name}/{value} before them`,
  )
}

const encode = encodeURIComponent

/** Leaves the colon of `genre:FILTER` as people write it. A segment of a path may contain it (RFC 3986, section 3.3). */
const encodeName = (name: string): string => encode(name).replaceAll('%3A', ':')

/**
 * Writes the path of a stack of endpoints, without slashes at the ends: `e/search/p/query/blue%20sky`. Names and values are well-formed
 * text: a lone surrogate throws URIError. Browsers and `fetch` resolve a value that is exactly `.` or `..`, percent-encoded too
 * (https://url.spec.whatwg.org/#double-dot-path-segment), so such a value only reaches the server from other clients.
 */
export const writeStack = (stack: readonly StackedEndpoint[]): string =>
  stack
    .map(({ endpoint, parameters }) =>
      [
        `e/${encodeName(endpoint)}`,
        ...parameters.map(({ name, value }) => `p/${encode(name)}/${encode(value)}`),
      ].join('/'),
    )
    .join('/')

/** Writes the path of a request, from `/4/…` on. */
export const writePath = (workspace: string, api: string, request: ApiRequest): string => {
  const base = `/${contractVersion}/${encode(workspace)}/api/${encode(api)}`
  const stackPath = ({ stack, context = [] }: Extract<ApiRequest, { stack: unknown }>) =>
    [
      base,
      ...context.map(({ name, value }) => `${contextWord}/${encode(name)}/${encode(value)}`),
      ...(stack.length > 0 ? [writeStack(stack)] : []),
    ].join('/')
  switch (request.kind) {
    case 'about':
      return base
    case 'openapi':
      return `${base}/openapi.json`
    case 'query':
      return `${stackPath(request)}/${request.type}`
    case 'options':
      return `${stackPath(request)}/options/${encode(request.facet)}`
    default:
      return `${base}/${request.kind}`
  }
}

/** The options of the list of documents. All other parameters are conditions on fields (workspace-file.md, Documents). */
export const documentListOptions = ['count', 'after', 'format', 'search', 'values'] as const

/** Writes the path of a collection's documents, or of one document. */
export const documentsPath = (workspace: string, collection: string, id?: string): string =>
  `/${contractVersion}/${encode(workspace)}/collections/${encode(collection)}/documents${id === undefined ? '' : `/${encode(id)}`}`

/** Writes the path of the progress of an import, by the name that the client chose. */
export const importPath = (workspace: string, collection: string, name: string): string =>
  `/${contractVersion}/${encode(workspace)}/collections/${encode(collection)}/imports/${encode(name)}`
