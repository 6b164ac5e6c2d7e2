/**
 * The path grammar of the query service (query-service.md, Paths), both ways: the server reads paths with it, the client writes them.
 * Every segment is percent-encoded on its own: split first, then decode each segment once.
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
  | { kind: 'about' | 'status' | 'openapi' | 'mcp' }
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
 * Reads what stands behind `/4/{workspace}/api/{api}`: its segments, still encoded, the fixed words of the grammar too.
 * `[]` and `['']` are about the API. Throws {@link PathError} that says what was found and what may stand there.
 */
export const readApiRequest = (encoded: readonly string[]): ApiRequest => {
  const segments = encoded.map(decodeSegment)
  const [first, ...others] = segments
  if (first === undefined || (first === '' && others.length === 0)) return { kind: 'about' }
  if (segments.length === 1) {
    if (first === 'status' || first === 'mcp') return { kind: first }
    if (first === 'openapi.json') return { kind: 'openapi' }
  }
  const stack: StackedEndpoint[] = []
  let at = 0
  while (segments[at] === 'e') {
    const name = segments[at + 1]
    if (name === undefined || name === '') throw new PathError('an endpoint\'s name is missing after "/e/"')
    const parameters: StackedEndpoint['parameters'] = []
    at += 2
    while (segments[at] === 'p') {
      const parameter = segments[at + 1]
      const value = segments[at + 2]
      if (parameter === undefined || parameter === '')
        throw new PathError('a parameter\'s name is missing after "/p/"')
      if (value === undefined)
        throw new PathError(`the parameter "${parameter}" has no value: write /p/{name}/{value}`)
      parameters.push({ name: parameter, value })
      at += 3
    }
    stack.push({ endpoint: name, parameters })
  }
  const rest = segments.slice(at)
  if (rest[0] === 'options' && rest.length === 2 && rest[1]) return { kind: 'options', stack, facet: rest[1] }
  const type = rest[0]
  if (stack.length > 0 && rest.length === 1 && type !== undefined && isRequestType(type))
    return { kind: 'query', stack, type }
  const found = rest.join('/')
  if (stack.length === 0)
    throw new PathError(
      `"${found.slice(0, 100)}" is no request: a path goes on with e/{endpoint}, options/{facet}, status or nothing`,
    )
  if (found === '')
    throw new PathError(
      `the request is missing at the end of the path: ${requestTypes.join(', ')} or options/{facet}`,
    )
  throw new PathError(
    `"${found.slice(0, 100)}" is no request: allowed are ${requestTypes.join(', ')}, options/{facet}, and e/{endpoint} or p/{name}/{value} before them`,
  )
}

const encode = encodeURIComponent

/**
 * Path of a stack of endpoints, without slashes at the ends: `e/search/p/query/blue%20sky`. Names and values are well-formed text: a lone
 * surrogate throws URIError. A value that is exactly `.` or `..` reaches the server only from clients that do not resolve dot segments;
 * browsers and `fetch` do, percent-encoded too (https://url.spec.whatwg.org/#double-dot-path-segment).
 */
export const writeStack = (stack: readonly StackedEndpoint[]): string =>
  stack
    .map(({ endpoint, parameters }) =>
      [
        `e/${encode(endpoint)}`,
        ...parameters.map(({ name, value }) => `p/${encode(name)}/${encode(value)}`),
      ].join('/'),
    )
    .join('/')

/** Path of a request, from `/4/…` on. */
export const writePath = (workspace: string, api: string, request: ApiRequest): string => {
  const base = `/${contractVersion}/${encode(workspace)}/api/${encode(api)}`
  const under = (stack: readonly StackedEndpoint[]) =>
    stack.length > 0 ? `${base}/${writeStack(stack)}` : base
  switch (request.kind) {
    case 'about':
      return base
    case 'openapi':
      return `${base}/openapi.json`
    case 'query':
      return `${under(request.stack)}/${request.type}`
    case 'options':
      return `${under(request.stack)}/options/${encode(request.facet)}`
    default:
      return `${base}/${request.kind}`
  }
}

/** Path of a collection's documents, or of one of them. */
export const documentsPath = (workspace: string, collection: string, id?: string): string =>
  `/${contractVersion}/${encode(workspace)}/collections/${encode(collection)}/documents${id === undefined ? '' : `/${encode(id)}`}`

/** Path of what an import tells of itself while it runs, by the name that its client gave it. */
export const importPath = (workspace: string, collection: string, name: string): string =>
  `/${contractVersion}/${encode(workspace)}/collections/${encode(collection)}/imports/${encode(name)}`
