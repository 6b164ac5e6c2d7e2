/** The management API: every operation of the contract's table, called by its name. */
import {
  type OperationId,
  type OperationInput,
  type OperationParams,
  type OperationQuery,
  type OperationReply,
  operations,
} from '@querent/contract/manage'
import { addressOf } from './address.ts'
import { download, send, type TokenSource } from './send.ts'

/** What an operation takes; parts that it does not have are left out. */
export type OperationCall<Id extends OperationId> = Part<'params', OperationParams<Id>> &
  Partial<Part<'query', OperationQuery<Id>>> &
  Part<'input', OperationInput<Id>>
type Part<Name extends string, Value> = Value extends undefined ? unknown : Record<Name, Value>

export interface ManagementApi {
  authUrl: string
  /** For the audience `managementAudience(authUrl)`. */
  token: TokenSource
  signal?: AbortSignal | undefined
}

/** A caller of the management API. Throws `ApiError` or `UnreachableError`. */
export const managementApi = ({ authUrl, token, signal }: ManagementApi) => {
  const call = <Id extends OperationId>(id: Id, parts: OperationCall<Id>): Promise<OperationReply<Id>> => {
    const { method, path } = operations[id]
    const { params, query, input }: LooseCall = parts
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params?.[name])))
    return send<OperationReply<Id>>(addressOf(authUrl, `/manage/v1${filled}`, query), {
      method,
      json: input,
      token,
      signal,
    })
  }
  /** The bytes of a backup of the whole server, as they come; whole when they end without an error. */
  const makeBackup = (): AsyncIterable<Uint8Array> => {
    const { method, path } = operations.makeBackup
    return download(addressOf(authUrl, `/manage/v1${path}`), { method, token, signal })
  }
  return { call, makeBackup }
}
export type Management = ReturnType<typeof managementApi>

interface LooseCall {
  params?: Record<string, unknown>
  query?: Record<string, string | number | undefined>
  input?: unknown
}

/** The pages of a list, as one list. `itemsMax` bounds it. */
export const allItems = async <Item>(
  page: (query: { after?: string; count: number }) => Promise<{ items: Item[]; next: string | null }>,
  itemsMax = 100_000,
): Promise<Item[]> => {
  const items: Item[] = []
  let after: string | null = null
  do {
    const reply: { items: Item[]; next: string | null } = await page({
      count: 1000,
      ...(after === null ? {} : { after }),
    })
    items.push(...reply.items)
    after = reply.next
  } while (after !== null && items.length < itemsMax)
  return items
}
