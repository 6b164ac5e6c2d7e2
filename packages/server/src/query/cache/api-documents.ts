/** What an API tells of itself, about and OpenAPI: made once for each version of a definition, with a tag that is known before. */
import { LRUCache } from 'lru-cache'
import { chooseEncoding, compress, type Encoding } from '#http/compression'
import type { ServiceUrls } from '#http/openapi'
import type { QueryReply } from '#http/raw-reply'
import { runSteps, type Steps, waitFor } from '#http/recipe'
import { about } from '#query/about'
import { visibleConfigurations } from '#query/configurations'
import type { Formatted } from '#query/formatted'
import { apiOpenApi, serviceOpenApi } from '#query/openapi'
import type { CompiledApi } from '#query/plan/compile'
import type { WorkspaceRow } from '#storage/workspaces'
import { entityTag, isKnown } from './etag.ts'

export interface ApiDocument {
  /** Entity tag, made of the version of the definition: nothing is written for it. */
  tag: string
  /** The document in the encoding that the client prefers. Written, and compressed, by the first that asks for it. */
  write(acceptEncoding: string | undefined): Steps<Formatted>
}

export interface ApiDocuments {
  /** `seesAll`: with all configurations, not only those that strangers may open. */
  about(workspace: WorkspaceRow, api: CompiledApi, seesAll: boolean): ApiDocument
  openApi(workspace: WorkspaceRow, api: CompiledApi, seesAll: boolean): ApiDocument
}

interface Written {
  bytes: Buffer
  encoded: Map<Encoding, Promise<Buffer>>
}

/** Of all workspaces together; those asked for longest ago are written again. */
const cachedBytesMax = 32 * 1024 * 1024
/** What the bytes of a document take with its compressed forms. */
const sizeFactor = 1.5

export const openApiDocuments = (service: ServiceUrls): ApiDocuments => {
  const cache = new LRUCache<string, Written>({
    maxSize: cachedBytesMax,
    sizeCalculation: ({ bytes }) => Math.ceil(bytes.length * sizeFactor) + 1,
  })
  let revision: string | undefined

  const document = (parts: readonly (string | number)[], make: () => object): ApiDocument => {
    // Another version of the server writes other documents.
    revision ??= entityTag([JSON.stringify(serviceOpenApi(service, {}))])
    const tag = entityTag([revision, ...parts])
    return {
      tag,
      *write(acceptEncoding) {
        const written = cache.get(tag) ?? {
          bytes: Buffer.from(JSON.stringify(make())),
          encoded: new Map<Encoding, Promise<Buffer>>(),
        }
        cache.set(tag, written)
        const encoding = acceptEncoding === undefined ? undefined : chooseEncoding(acceptEncoding)
        if (!encoding) return { body: written.bytes, headers: contentType }
        const encoded = written.encoded.get(encoding) ?? compress(encoding, written.bytes)
        written.encoded.set(encoding, encoded)
        return { body: yield* waitFor(encoded), headers: { ...contentType, 'content-encoding': encoding } }
      },
    }
  }
  return {
    about: (workspace, api, seesAll) =>
      document(['about', workspace.id, workspace.version, api.name, String(seesAll)], () =>
        about(workspace, api, visibleConfigurations(workspace, seesAll)),
      ),
    openApi: (workspace, api, seesAll) =>
      document(['openapi', workspace.id, workspace.version, api.name, String(seesAll)], () =>
        apiOpenApi(service, workspace.slug, api, visibleConfigurations(workspace, seesAll)),
      ),
  }
}

const contentType = { 'content-type': 'application/json; charset=utf-8' }

/** The document with its tag; undefined: the client has it, and nothing was written. `inTurn` runs what writes it. */
export function* replyWithDocument(
  exchange: Pick<QueryReply, 'header' | 'request'>,
  { tag, write }: ApiDocument,
  inTurn: (write: () => Promise<Formatted>) => Steps<Formatted>,
): Steps<Formatted | undefined> {
  exchange.header('etag', tag)
  const { headers } = exchange.request
  if (isKnown(headers['if-none-match'], tag)) return undefined
  return yield* inTurn(async () => runSteps(write(headers['accept-encoding'])))
}
