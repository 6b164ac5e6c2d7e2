/** Changes documents of the live generation. Nobody else writes between the read of a document and the write of its change. */
import type { EngineDocument } from '#engines/engine'
import { createTimeSlice } from '#memory/time-slice'
import { type DocumentsContext, type DocumentsDependencies, mayReadDocuments } from './admit.ts'
import type { RejectedDocument } from './entity.ts'
import { asWrite, type Check, changeLive, writeWithVectors } from './live-generation.ts'
import { applyPatch, type Patch, type PatchRules } from './patch.ts'
import { hiddenMessage } from './row-filter.ts'

/** Documents read at once. */
const readsAtOnce = 50
/** Changed documents are written together up to this size. */
const batchCharsMax = 1024 * 1024

/** Outcome of a patch: the document as it is now, or why it was rejected. */
export type Patched = { document: EngineDocument; isNew: boolean } | (RejectedDocument & { isMissing?: true })

export const unknownDocument = (id: string): string =>
  `no document has the id ${JSON.stringify(id.slice(0, 200))}: correct the id, or add create=true`

export interface PatchWork {
  rules: PatchRules
  /** Create documents that do not exist. */
  create: boolean
  readEntity: (uri: string) => Promise<string | undefined>
  /** Writes durably. */
  write: (documents: readonly EngineDocument[]) => Promise<void>
  isHidden: ((entity: string) => boolean) | undefined
}

/** Applies patches in order, so that several of them may change the same document. Call it while nobody else writes. */
export const applyPatches = async (
  { rules, create, readEntity, write, isHidden }: PatchWork,
  patches: readonly Patch[],
): Promise<Patched[]> => {
  const outcomes: Patched[] = []
  /** Changed documents that are not written yet, by URI. */
  const pending = new Map<string, EngineDocument>()
  let pendingChars = 0
  const pauseForOthers = createTimeSlice()
  const flush = async () => {
    if (pending.size > 0) await write([...pending.values()])
    pending.clear()
    pendingChars = 0
  }
  for (let start = 0; start < patches.length; start += readsAtOnce) {
    const slice = patches.slice(start, start + readsAtOnce)
    const entities = await Promise.all(
      slice.map(({ uri }) => (pending.has(uri) ? undefined : readEntity(uri))),
    )
    for (const [index, patch] of slice.entries()) {
      const entity = pending.get(patch.uri)?.entity ?? entities[index]
      const outcome = patchOne({ rules, create, isHidden }, patch, entity)
      outcomes.push(outcome)
      await pauseForOthers()
      if ('message' in outcome) continue
      pending.set(patch.uri, outcome.document)
      pendingChars += outcome.document.entity.length
    }
    if (pendingChars >= batchCharsMax) await flush()
  }
  await flush()
  return outcomes
}

const patchOne = (
  { rules, create, isHidden }: Pick<PatchWork, 'rules' | 'create' | 'isHidden'>,
  patch: Patch,
  entity: string | undefined,
): Patched => {
  if (entity !== undefined && isHidden?.(entity))
    return create
      ? { message: hiddenMessage, isRefused: true }
      : // As if it did not exist.
        { message: unknownDocument(patch.id), isMissing: true }
  if (entity === undefined && !create) return { message: unknownDocument(patch.id), isMissing: true }
  const document = applyPatch(rules, patch, entity)
  return 'message' in document ? document : { document, isNew: entity === undefined }
}

/** Returns the rules of the caller. */
export const readPatchRules = async (
  deps: DocumentsDependencies,
  context: DocumentsContext,
): Promise<PatchRules> => ({
  collection: context.collection,
  reader: context.reader,
  mayRead: await mayReadDocuments(deps, context),
  hiddenPaths: context.hiddenPaths,
})

/** Changes documents of the live generation durably. `check` may throw before anything is changed. */
export const updateLive = (
  deps: DocumentsDependencies,
  context: DocumentsContext,
  { rules, create }: Pick<PatchWork, 'rules' | 'create'>,
  patches: readonly Patch[],
  check?: Check,
): Promise<Patched[]> =>
  changeLive(
    deps,
    context,
    async live => {
      await check?.(live)
      const work: PatchWork = {
        rules,
        create,
        readEntity: uri => deps.engine.get(live, uri),
        write: documents =>
          writeWithVectors(deps, context, live, documents, kept =>
            deps.engine.write(live, kept.map(asWrite)),
          ),
        isHidden: context.writeFilter?.isHidden,
      }
      return applyPatches(work, patches)
    },
    true,
  )
