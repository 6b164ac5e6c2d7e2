/** The management API, as `@querent/client/manage`, which needs `@querent/contract`. `call` runs any operation of the contract's table by its name. */
import {
  type OperationId,
  type OperationInput,
  type OperationParams,
  type OperationQuery,
  type OperationReply,
  operations,
} from '@querent/contract/manage'
import { buildAddress } from './address.ts'
import { download, send, type TokenSource } from './send.ts'

/** Arguments of an operation, without the parts that it does not have. */
export type OperationCall<Id extends OperationId> = Part<'params', OperationParams<Id>> &
  Partial<Part<'query', OperationQuery<Id>>> &
  Part<'input', OperationInput<Id>>
type Part<Name extends string, Value> = Value extends undefined ? unknown : Record<Name, Value>

export interface ManagementApi {
  authUrl: string
  /** Returns tokens for the audience `managementAudience(authUrl)`. */
  token: TokenSource
  signal?: AbortSignal | undefined
  /** Sent with each call, such as `user-agent`. */
  headers?: Readonly<Record<string, string>> | undefined
}

/** Creates a caller of the management API. Calls throw `ApiError` or `UnreachableError`. */
export const managementApi = ({ authUrl, token, signal, headers }: ManagementApi) => {
  const call = <Id extends OperationId>(id: Id, parts: OperationCall<Id>): Promise<OperationReply<Id>> => {
    const { method, path } = operations[id]
    const { params, query, input }: LooseCall = parts
    const filledPath = path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String(params?.[name])),
    )
    return send<OperationReply<Id>>(buildAddress(authUrl, `/manage/v1${filledPath}`, query), {
      method,
      json: input,
      token,
      signal,
      headers,
    })
  }
  /** Streams a backup of the whole server. It is complete if the stream ends without an error. */
  const makeBackup = (): AsyncIterable<Uint8Array> => {
    const { method, path } = operations.makeBackup
    return download(buildAddress(authUrl, `/manage/v1${path}`), { method, token, signal, headers })
  }
  return { call, makeBackup }
}
export type Management = ReturnType<typeof managementApi>

interface LooseCall {
  params?: Record<string, unknown>
  query?: Record<string, string | number | undefined>
  input?: unknown
}

/** Reads all pages of a list. Stops after the page that reaches `itemsMax`. */
export const allItems = async <Item>(
  readPage: (query: { after?: string; count: number }) => Promise<{ items: Item[]; next: string | null }>,
  itemsMax = 100_000,
): Promise<Item[]> => {
  const items: Item[] = []
  let cursor: string | null = null
  do {
    const reply: { items: Item[]; next: string | null } = await readPage({
      count: 1000,
      ...(cursor === null ? {} : { after: cursor }),
    })
    items.push(...reply.items)
    cursor = reply.next
  } while (cursor !== null && items.length < itemsMax)
  return items
}
