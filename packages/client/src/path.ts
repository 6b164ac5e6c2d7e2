/** Writes paths of the query service (query-service.md, Paths). path.test.ts compares them with the reader of the contract. */

/** One endpoint of a stack with its parameters in the order of the path. */
export interface StackedEndpoint {
  endpoint: string
  parameters: { name: string; value: string }[]
}

export type ApiRequest =
  | { kind: 'about' | 'status' | 'openapi' | 'batch' | 'mcp' }
  | {
      kind: 'query'
      stack: StackedEndpoint[]
      type: 'results' | 'count' | 'statistics' | 'results,count' | 'resultpage' | 'resultitem'
    }
  | { kind: 'options'; stack: StackedEndpoint[]; facet: string }

const encode = encodeURIComponent

/** Leaves the colon of `genre:FILTER` as people write it. */
const encodeName = (name: string): string => encode(name).replaceAll('%3A', ':')

const writeStep = ({ endpoint, parameters }: StackedEndpoint): string =>
  [
    `e/${encodeName(endpoint)}`,
    ...parameters.map(({ name, value }) => `p/${encode(name)}/${encode(value)}`),
  ].join('/')

/** Writes what follows `/4/{workspace}/api/{api}/`. It is empty for `about`. */
export const writeRequest = (request: ApiRequest): string => {
  switch (request.kind) {
    case 'about':
      return ''
    case 'openapi':
      return 'openapi.json'
    case 'query':
      return [...request.stack.map(writeStep), request.type].join('/')
    case 'options':
      return [...request.stack.map(writeStep), 'options', encode(request.facet)].join('/')
    default:
      return request.kind
  }
}

/** Writes the path of a request, from `/4/…` on. */
export const writePath = (workspace: string, api: string, request: ApiRequest): string =>
  `/4/${encode(workspace)}/api/${encode(api)}/${writeRequest(request)}`.replace(/\/$/, '')
