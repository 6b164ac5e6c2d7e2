/** `POST` of a stream of changes: `?update=true`. */
import { parseExactJson } from '@querent/contract/exact-json'
import type { ImportReply, UpdateReply } from '@querent/contract/query'
import type { DocumentsContext, DocumentsDependencies } from './admit.ts'
import { createIdCounter, type IdCounts } from './id-counter.ts'
import { importBatches } from './import.ts'
import type { Line } from './lines.ts'
import { asWrite } from './live-generation.ts'
import { NothingAccepted } from './nothing-accepted.ts'
import { type Patch, readPatch, readWholePatch } from './patch.ts'
import { createRejections, type Place } from './rejections.ts'
import { applyPatches, type Patched, readPatchRules, updateLive } from './update.ts'

interface UpdateStream {
  lines: AsyncIterable<Line[]>
  create: boolean
  /** Receives the number of documents of each batch that were changed. */
  onChanged: (documents: number) => void
}

/** Changes documents in batches. Those before a failure stay changed. */
export const importUpdates = async (
  deps: DocumentsDependencies,
  context: DocumentsContext,
  { lines, create, onChanged }: UpdateStream,
): Promise<UpdateReply> => {
  const rules = await readPatchRules(deps, context)
  const counts = { accepted: 0, updated: 0 }
  const rejected = await importBatches<Patch>({
    lines,
    read: document => readPatch(rules, document),
    measure: measurePatch,
    write: async patches => {
      const outcomes = await updateLive(deps, context, { rules, create }, patches)
      const accepted = countOutcomes(outcomes, counts)
      onChanged(accepted)
      return readReasons(outcomes)
    },
  })
  return { ...counts, ...rejected }
}

/** Puts whole documents of a caller from whom fields are hidden. */
export const importWholePatches = async (
  deps: DocumentsDependencies,
  context: DocumentsContext,
  { lines, create, onChanged }: UpdateStream,
): Promise<ImportReply> => {
  const rules = await readPatchRules(deps, context)
  const idCounter = createIdCounter()
  const rejected = await importBatches<Patch>({
    lines,
    read: document => readWholePatch(rules, document),
    measure: measurePatch,
    write: async patches => {
      const outcomes = await updateLive(deps, context, { rules, create }, patches)
      const reasons = readReasons(outcomes)
      for (const [index, { uri }] of patches.entries()) if (!reasons.has(index)) idCounter.add(uri)
      onChanged(patches.length - reasons.size)
      return reasons
    },
  })
  return { ...idCounter.counts(), ...rejected }
}

const measurePatch = ({ members }: Patch): number => JSON.stringify(members).length

const countOutcomes = (
  outcomes: readonly Patched[],
  counts: { accepted: number; updated: number },
): number => {
  let accepted = 0
  for (const outcome of outcomes) {
    if ('message' in outcome) continue
    accepted += 1
    if (!outcome.isNew) counts.updated += 1
  }
  counts.accepted += accepted
  return accepted
}

const readReasons = (outcomes: readonly Patched[]): ReadonlyMap<number, string> =>
  new Map(
    outcomes.flatMap((outcome, index) => ('message' in outcome ? [[index, outcome.message] as const] : [])),
  )

/** Ids of spooled patches come before those of all documents, whose URIs begin with a letter. */
const spoolPrefix = ' '
const spoolDigits = 15
/** Patches that are read from the spool at once. */
const spoolPage = 500

/** Implements a strict update: {@link StrictUpdate.spool} fills a scratch generation, and {@link StrictUpdate.merge} makes documents of it. */
export interface StrictUpdate {
  /** Stores the patches until the stream is complete. Rejects with `NothingAccepted` if one cannot be read. */
  spool: (scratch: string) => Promise<UpdateReply>
  /**
   * Turns the patches into the changed documents. Call it while nobody else writes to `live`. Rejects with `NothingAccepted` if one does not
   * apply. Changes the reply of `spool`.
   */
  merge: (scratch: string, live: string) => Promise<void>
  /** Counts of the documents that were spooled. */
  counts: () => IdCounts
}

/** All changes or none. The patches wait in the scratch generation, because the documents may change until the stream is complete. */
export const createStrictUpdate = (
  deps: DocumentsDependencies,
  context: DocumentsContext,
  { lines, create, onChanged }: UpdateStream,
  read: typeof readWholePatch = readPatch,
): StrictUpdate => {
  const { engine, embedding } = deps
  const { collection } = context
  const counts = { accepted: 0, updated: 0 }
  const idCounter = createIdCounter()
  let reply: UpdateReply = { ...counts, rejected: 0, errors: [] }
  return {
    counts: idCounter.counts,
    async spool(scratch) {
      const rules = await readPatchRules(deps, context)
      const rejected = await importBatches<Patch>({
        lines,
        read: document => read(rules, document),
        measure: measurePatch,
        write: async (patches, places) => {
          await context.confirm()
          const spooled = patches.map((patch, index) =>
            spoolPatch(counts.accepted + index, patch, places[index]),
          )
          await engine.write(scratch, spooled.map(asWrite))
          counts.accepted += patches.length
          for (const { uri } of patches) idCounter.add(uri)
          onChanged(patches.length)
          return new Map()
        },
      })
      reply = { ...counts, ...rejected }
      if (reply.accepted === 0 || reply.rejected > 0) throw new NothingAccepted(reply)
      return reply
    },
    async merge(scratch, live) {
      const rules = await readPatchRules(deps, context)
      const rejections = createRejections()
      const readEntity = async (uri: string) =>
        (await engine.get(scratch, uri)) ?? (await engine.get(live, uri))
      const write = async (documents: readonly { id: string; entity: string }[]) => {
        const prepared =
          (await embedding?.keepVectors({ collection }, live, documents))?.documents ?? documents
        await engine.write(scratch, prepared.map(asWrite))
      }
      const isHidden = context.writeFilter?.isHidden
      for (;;) {
        // Each page is deleted from the spool, so the next one is the first again.
        const page = (await engine.list(scratch, undefined, spoolPage)).filter(({ id }) =>
          id.startsWith(spoolPrefix),
        )
        if (page.length === 0) break
        const spooled = page.map(({ entity }) => readSpooled(entity))
        const outcomes = await applyPatches(
          { rules, create, readEntity, write, isHidden },
          spooled.map(({ patch }) => patch),
        )
        for (const [index, message] of readReasons(outcomes))
          rejections.add(spooled[index]?.place ?? {}, message)
        reply.updated += outcomes.filter(outcome => 'document' in outcome && !outcome.isNew).length
        await engine.write(
          scratch,
          page.map(({ id }) => ({ delete: id })),
        )
      }
      Object.assign(reply, rejections.read())
      if (reply.rejected > 0) throw new NothingAccepted(reply)
    },
  }
}

interface SpooledPatch {
  patch: Patch
  place: Place
}

const spoolPatch = (position: number, patch: Patch, place: Place = {}) => {
  const id = `${spoolPrefix}${String(position).padStart(spoolDigits, '0')}`
  const attributes: SpooledPatch = { patch, place }
  return { id, entity: JSON.stringify({ id, class: [], attributes }) }
}

const readSpooled = (entity: string): SpooledPatch =>
  // `spoolPatch` wrote it.
  (parseExactJson(entity) as { attributes: SpooledPatch }).attributes
