import { makeRawNumber } from '@querent/contract/exact-json'
import { createLines, type NativeEngine, type Outcome, openNativeEngine } from '@querent/engine'
import {
  type Engine,
  EngineError,
  type GenerationSpec,
  type Hit,
  type LinesRead,
  type Plan,
  type Reply,
  type Write,
} from '#engines/engine'
import type { EngineFacet, FacetSummary } from '#engines/facet'
import { canceledByCaller, unwrapOutcome, withEngineErrors } from '#engines/outcome'
import { type Generations, openGenerations } from './generations.ts'
import { createRebuildEvents } from './rebuild-events.ts'
import { type MarkStore, openSavedMarks } from './saved-marks.ts'

export interface EmbeddedSettings {
  /** Folder of all generations; created if it does not exist. Only one process at a time can open a generation. */
  dataDir: string
  /** Number of search threads; the number of cores minus one is a good choice. */
  threads?: number
  /** Maximum number of searches that wait for a thread; further ones are rejected as overloaded. */
  queueMax?: number
  /** Number of threads of Node that open this folder and share the engine, which takes `threads` and `queueMax` from the first; 1 by default. */
  sharedBy?: number
  /** Maximum number of open generations, unless more are in use. Others are opened at their next use. */
  openMax?: number
  /** Keeps the number of writes of each generation outside of `dataDir`, so that a lost folder is noticed. */
  marks?: MarkStore
}

/** While one search runs on a thread, the next is already queued, so that no thread waits for the JavaScript thread. */
const usefulPerThread = 2

/** Opens the search engine inside this process: documents in SQLite, a tantivy index of them. See packages/engine/README.md for its files. */
export async function openEmbeddedEngine({
  dataDir,
  threads = 2,
  queueMax = 256,
  sharedBy = 1,
  openMax = 1_000,
  marks: markStore,
}: EmbeddedSettings): Promise<Engine> {
  const native = withEngineErrors(() => openNativeEngine(dataDir, threads, queueMax, sharedBy > 1))
  const marks = await openSavedMarks(native, markStore)
  const rebuilds = createRebuildEvents(native, {
    pin: id => generations.pin(id),
    unpin: generation => generations.unpin(generation),
  })
  const generations = openGenerations({
    native,
    openMax,
    knownWrites: marks.knownWrites,
    waitersMax: queueMax,
    onIndexLost: rebuilds.watch,
    onOpened: rebuilds.opened,
    onOpenFailed: rebuilds.openFailed,
  })
  const calls: AddonCalls = {
    native,
    generations,
    watchIfRebuilding: rebuilds.watchIfRebuilding,
    unwrapOutcomeFor(id, outcome) {
      if (outcome.code === 'unavailable') rebuilds.watchIfRebuilding(id)
      return unwrapOutcome(outcome)
    },
  }
  const { isOpened, whenOpened, info, version } = generations
  return {
    searchesAtOnce: {
      useful: Math.ceil((usefulPerThread * threads) / sharedBy),
      max: Math.ceil(queueMax / sharedBy),
    },
    open: (id, spec, isDeferred = false) => generations.open(id, specJson(spec), isDeferred),
    release: id => generations.remove(id, 'release'),
    drop: async id => {
      await generations.remove(id, 'drop')
      await marks.remove(id)
    },
    ...{ isOpened, whenOpened, info, version },
    ...createDocumentOperations(calls),
    search: createSearch(calls),
    failures: rebuilds.failures,
    onRebuild: rebuilds.onRebuild,
    close: async () => {
      generations.close()
      await marks.close()
      unwrapOutcome(await native.close())
    },
  }
}

/** The addon, with what its calls need. */
interface AddonCalls {
  native: NativeEngine
  generations: Generations
  watchIfRebuilding: (id: string) => void
  /** Like `unwrapOutcome`; a generation may be unavailable because it is being rebuilt. */
  unwrapOutcomeFor: (id: string, outcome: Outcome) => Outcome
}

type DocumentOperations = Pick<
  Engine,
  'write' | 'writeSearchable' | 'readLines' | 'refresh' | 'get' | 'list' | 'deleteMatching' | 'copy'
>

function createDocumentOperations({
  native,
  generations: { withOpen },
  watchIfRebuilding,
  unwrapOutcomeFor,
}: AddonCalls): DocumentOperations {
  const writeAll = (id: string, writes: readonly Write[]): Promise<Outcome> =>
    native.write(
      id,
      writes.map(write => ('put' in write ? write.put.id : write.delete)),
      writes.map(write => ('put' in write ? write.put.entity : null)),
    )
  return {
    write: async (id, writes) => {
      unwrapOutcome(await withOpen(id, () => writeAll(id, writes)))
    },
    writeSearchable: (id, writes) =>
      withOpen(id, async () => {
        // Queued together, so that one round of the write thread stores and commits them.
        const [written, refreshed] = [writeAll(id, writes), native.refresh(id)]
        watchIfRebuilding(id)
        unwrapOutcome(await written)
        unwrapOutcomeFor(id, await refreshed)
      }),
    readLines: async (block, rules) => {
      const lines = createLines()
      const outcome = unwrapOutcome(await native.readLines(lines, block, JSON.stringify(rules)))
      const { head = '', texts: ids = [] } = outcome
      const write: LinesRead['write'] = async (id, parsedByCaller) => {
        const ids = parsedByCaller.map(document => document?.id ?? null)
        const entities = parsedByCaller.map(document => document?.entity ?? null)
        unwrapOutcome(await withOpen(id, () => native.writeLines(id, lines, ids, entities)))
      }
      // The addon wrote this JSON in this shape.
      return { ...(JSON.parse(head) as Omit<LinesRead, 'write' | 'ids'>), ids, write }
    },
    refresh: id =>
      withOpen(id, async () => {
        watchIfRebuilding(id)
        unwrapOutcomeFor(id, await native.refresh(id))
      }),
    get: async (id, documentId) => unwrapOutcome(await withOpen(id, () => native.get(id, documentId))).head,
    list: async (id, afterId, count) => {
      const texts = unwrapOutcome(await withOpen(id, () => native.list(id, afterId, count))).texts ?? []
      return pairs(texts).map(([documentId, entity]) => ({ id: documentId, entity }))
    },
    deleteMatching: (id, plan) =>
      withOpen(id, async () =>
        Number(unwrapOutcomeFor(id, await native.deleteMatching(id, JSON.stringify(plan))).head),
      ),
    copy: (source, target) =>
      withOpen(source, () =>
        withOpen(target, async () => void unwrapOutcome(await native.copy(source, target))),
      ),
  }
}

function createSearch({ native, generations, unwrapOutcomeFor }: AddonCalls): Engine['search'] {
  const tickets = createSearchTickets(native)
  return async (id, plan, deadlineMs, signal, owner = id) => {
    if (signal?.aborted) throw canceledByCaller()
    // This does not use `withOpen`: the generation is nearly always open, and the closure would cost time in each search.
    const generation = generations.pin(id)
    try {
      let remainingMs = deadlineMs
      if (generation && !generation.isOpen) {
        const startedMs = performance.now()
        await generations.waitUntilOpen(generation, deadlineMs, signal)
        remainingMs -= performance.now() - startedMs
      }
      const ticket = tickets.next()
      const cancelable = signal && tickets.cancelableBy(signal)
      cancelable?.add(ticket)
      try {
        return readReply(
          unwrapOutcomeFor(id, await native.search(id, planJson(plan), remainingMs, owner, ticket)),
        )
      } finally {
        cancelable?.delete(ticket)
      }
    } finally {
      generations.unpin(generation)
    }
  }
}

/** Tickets identify running searches to the addon, so that it can cancel them. */
function createSearchTickets(native: NativeEngine) {
  let lastTicket = 0
  const ticketsBySignal = new WeakMap<AbortSignal, Set<number>>()
  return {
    /** Returns a ticket that none of the last 4 billion searches has. */
    next(): number {
      lastTicket = (lastTicket + 1) >>> 0
      return lastTicket
    },
    /**
     * Returns the tickets that an abort of the signal cancels. A signal has one listener, because adding and removing one for each search
     * costs more than passing the search to the addon.
     */
    cancelableBy(signal: AbortSignal): Set<number> {
      const cached = ticketsBySignal.get(signal)
      if (cached) return cached
      const tickets = new Set<number>()
      signal.addEventListener('abort', () => tickets.forEach(ticket => void native.cancel(ticket)), {
        once: true,
      })
      ticketsBySignal.set(signal, tickets)
      return tickets
    },
  }
}

/** JSON of plans, which are immutable: the query service runs a cached plan many times. */
const planTexts = new WeakMap<Plan, string>()
function planJson(plan: Plan): string {
  const cached = planTexts.get(plan)
  if (cached !== undefined) return cached
  const text = JSON.stringify(plan)
  planTexts.set(plan, text)
  return text
}

/** A reply of the addon without the entities of its hits; the arrays are in the order of the hits. */
interface ReplyHead extends Omit<Reply, 'hits'> {
  scores: number[]
  highlights?: NonNullable<Hit['highlights']>[]
  /** With `collapse`. The texts of all further documents follow those of the hits. */
  collapsed?: { value: string | number | { large: string } | null; count: number; others: number }[]
}

function readReply({ head, texts = [] }: Outcome): Reply {
  if (head === undefined) throw new EngineError('fault', 'the addon gave a reply without a head')
  const { scores, highlights, collapsed, facet, ...reply } = JSON.parse(head) as ReplyHead
  let end = scores.length
  const hits = texts.slice(0, end).map((entity, index): Hit => {
    const highlighted = highlights?.[index]
    const group = collapsed?.[index]
    const start = end
    end += group?.others ?? 0
    return {
      entity,
      score: scores[index] ?? 0,
      ...(highlighted && { highlights: highlighted }),
      ...(group && {
        collapsed: { ...group, value: readGroupValue(group.value), others: texts.slice(start, end) },
      }),
    }
  })
  return { ...reply, hits, ...(facet && { facet: readFacet(facet) }) }
}

const readGroupValue = (
  value: string | number | { large: string } | null,
): string | number | object | null =>
  typeof value === 'object' && value !== null ? makeRawNumber(value.large) : value

/** Large numbers are texts in the statistics, and so are dates. */
const readFacet = ({ summary, ...facet }: EngineFacet): EngineFacet => {
  if (!summary) return facet
  const read = (end: FacetSummary['min']) =>
    typeof end === 'string' && /^-?\d+$/.test(end) ? makeRawNumber(end) : end
  return { ...facet, summary: { ...summary, min: read(summary.min), max: read(summary.max) } }
}

/** Returns the JSON of a spec in canonical form, because the addon compares it to detect a changed spec. */
function specJson({ fields }: GenerationSpec): string {
  const sorted = fields.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return JSON.stringify({ fields: sorted })
}

function pairs(texts: string[]): [string, string][] {
  return Array.from({ length: texts.length / 2 }, (_, index) => [
    texts[2 * index] ?? '',
    texts[2 * index + 1] ?? '',
  ])
}
