/** The documents that describe an API: about and OpenAPI. Each is written once per version of the definition. */
import { LRUCache } from 'lru-cache'
import { chooseEncoding, compress, type Encoding } from '#http/compression'
import { entityTag, etagMatches } from '#http/entity-tag'
import type { ServiceUrls } from '#http/origins'
import type { QueryReply } from '#http/raw-reply'
import { visibleConfigurations } from '#query/configurations'
import { describeApi } from '#query/describe-api'
import { apiOpenApi } from '#query/openapi/api-document'
import { serviceOpenApi } from '#query/openapi/service-document'
import type { CompiledApi } from '#query/plan/compile'
import type { WorkspaceRow } from '#storage/workspaces'

interface WrittenDocument {
  body: Buffer
  headers: Readonly<Record<string, string>>
}

export interface ApiDocument {
  /** Entity tag, made from the version of the definition, so that a 304 needs no document. */
  tag: string
  /** Returns the document in the encoding that the client prefers. The first call writes and compresses it. */
  write(acceptEncoding: string | undefined): Promise<WrittenDocument>
}

export interface ApiDocuments {
  /** `seesAll`: list all configurations, not only those that strangers may use. */
  description(workspace: WorkspaceRow, api: CompiledApi, seesAll: boolean): ApiDocument
  openApi(workspace: WorkspaceRow, api: CompiledApi, seesAll: boolean): ApiDocument
}

interface CachedDocument {
  bytes: Buffer
  encoded: Map<Encoding, Promise<Buffer>>
}

/** For all workspaces together. */
const cachedBytesMax = 32 * 1024 * 1024
/** Size of a document with its compressed forms, relative to its plain bytes. */
const sizeFactor = 1.5

export const createApiDocuments = (service: ServiceUrls): ApiDocuments => {
  const cache = new LRUCache<string, CachedDocument>({
    maxSize: cachedBytesMax,
    sizeCalculation: ({ bytes }) => Math.ceil(bytes.length * sizeFactor) + 1,
  })
  let revision: string | undefined

  const document = (parts: readonly (string | number)[], make: () => object): ApiDocument => {
    // Makes the tags of another version of the server different.
    revision ??= entityTag([JSON.stringify(serviceOpenApi(service, {}))])
    const tag = entityTag([revision, ...parts])
    return {
      tag,
      async write(acceptEncoding) {
        const cached = cache.get(tag) ?? {
          bytes: Buffer.from(JSON.stringify(make())),
          encoded: new Map<Encoding, Promise<Buffer>>(),
        }
        cache.set(tag, cached)
        const encoding = acceptEncoding === undefined ? undefined : chooseEncoding(acceptEncoding)
        if (!encoding) return { body: cached.bytes, headers: contentType }
        const encoded = cached.encoded.get(encoding) ?? compress(encoding, cached.bytes)
        cached.encoded.set(encoding, encoded)
        return { body: await encoded, headers: { ...contentType, 'content-encoding': encoding } }
      },
    }
  }
  return {
    description: (workspace, api, seesAll) =>
      document(['about', ...describeScope(workspace, api, seesAll)], () =>
        describeApi(workspace, api, visibleConfigurations(workspace, seesAll)),
      ),
    openApi: (workspace, api, seesAll) =>
      document(['openapi', ...describeScope(workspace, api, seesAll)], () =>
        apiOpenApi(service, workspace.slug, api, visibleConfigurations(workspace, seesAll)),
      ),
  }
}

/** Everything that a document depends on. */
const describeScope = (workspace: WorkspaceRow, api: CompiledApi, seesAll: boolean) => [
  workspace.id,
  workspace.version,
  api.name,
  String(seesAll),
  ...(api.open ?? []),
  String(api.open === undefined),
  api.hidden?.key ?? '',
]

const contentType = { 'content-type': 'application/json; charset=utf-8' }

/** Sets the tag and returns the document, or undefined if the client has it already. `enqueue` runs the writing. */
export const replyWithDocument = async (
  exchange: Pick<QueryReply, 'header' | 'request'>,
  { tag, write }: ApiDocument,
  enqueue: (write: () => Promise<WrittenDocument>) => Promise<WrittenDocument>,
): Promise<WrittenDocument | undefined> => {
  exchange.header('etag', tag)
  const { headers } = exchange.request
  if (etagMatches(headers['if-none-match'], tag)) return undefined
  return enqueue(() => write(headers['accept-encoding']))
}
