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

/** One endpoint of a stack with its parameters in the order of the path. */
export interface StackedEndpoint {
  endpoint: string
  parameters: { name: string; value: string }[]
}

export type ApiRequest =
  | { kind: 'about' | 'status' | 'openapi' | 'batch' | 'mcp' }
  | { kind: 'query'; stack: StackedEndpoint[]; type: RequestType }
  | { kind: 'options'; stack: StackedEndpoint[]; facet: string }

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
    // Existing clients also write `swagger.json`, and `q` for `e`.
    if (first === 'openapi.json' || first === 'swagger.json') return { kind: 'openapi' }
  }
  const stack: StackedEndpoint[] = []
  let index = 0
  for (;;) {
    const word = segments[index]
    if (word !== 'e' && word !== 'q') break
    const name = segments[index + 1]
    if (name === undefined || name === '')
      throw new PathError(`an endpoint's name is missing after "/${word}/"`)
    const parameters: StackedEndpoint['parameters'] = []
    index += 2
    while (segments[index] === 'p') {
      const parameter = segments[index + 1]
      const value = segments[index + 2]
      if (parameter === undefined || parameter === '')
        throw new PathError('a parameter\'s name is missing after "/p/"')
      if (value === undefined)
        throw new PathError(`the parameter "${parameter}" has no value: write /p/{name}/{value}`)
      parameters.push({ name: parameter, value })
      index += 3
    }
    stack.push({ endpoint: name, parameters })
  }
  const rest = segments.slice(index)
  if (rest[0] === 'options' && rest.length === 2 && rest[1]) return { kind: 'options', stack, facet: rest[1] }
  const type = rest[0]
  if (stack.length > 0 && rest.length === 1 && type !== undefined && isRequestType(type))
    return { kind: 'query', stack, type }
  const remainder = rest.join('/')
  if (stack.length === 0)
    throw new PathError(
      `"${remainder.slice(0, 100)}" is not a request: continue the path with e/{endpoint}, options/{facet} or status, or end it`,
    )
  if (remainder === '')
    throw new PathError(
      `the request is missing at the end of the path: ${requestTypes.join(', ')} or options/{facet}`,
    )
  throw new PathError(
    `"${remainder.slice(0, 100)}" is not a request: allowed are ${requestTypes.join(', ')}, options/{facet}, and e/{endpoint} or p/{name}/{value} before them`,
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
  const stackPath = (stack: readonly StackedEndpoint[]) =>
    stack.length > 0 ? `${base}/${writeStack(stack)}` : base
  switch (request.kind) {
    case 'about':
      return base
    case 'openapi':
      return `${base}/openapi.json`
    case 'query':
      return `${stackPath(request.stack)}/${request.type}`
    case 'options':
      return `${stackPath(request.stack)}/options/${encode(request.facet)}`
    default:
      return `${base}/${request.kind}`
  }
}

/** Writes the path of a collection's documents, or of one document. */
export const documentsPath = (workspace: string, collection: string, id?: string): string =>
  `/${contractVersion}/${encode(workspace)}/collections/${encode(collection)}/documents${id === undefined ? '' : `/${encode(id)}`}`

/** Writes the path of the progress of an import, by the name that the client chose. */
export const importPath = (workspace: string, collection: string, name: string): string =>
  `/${contractVersion}/${encode(workspace)}/collections/${encode(collection)}/imports/${encode(name)}`
