import { type NativeEngine, newLines, type Outcome, openNativeEngine } from '@querent/engine'
import {
  type Engine,
  EngineError,
  type GenerationSpec,
  type Hit,
  type LinesRead,
  type Plan,
  type RebuildEvent,
  type Reply,
} from '#engines/engine'
import { type Generations, openGenerations } from './generations.ts'
import { answered, inWords } from './outcome.ts'

export interface EmbeddedSettings {
  /** Folder of all generations; made when it is not there. One process at a time has a generation open. */
  dataDir: string
  /** Threads that search; the number of cores less one is a good choice. */
  threads?: number
  /** Searches that may wait for a thread; the next is refused as overloaded. */
  queueMax?: number
  /** Generations that are open at once, but for those in use; the others are opened when they are used. */
  openMax?: number
}

/** One runs on each thread while the next one is handed over, so that no thread waits for this one. */
const usefulPerThread = 2

/** The search engine inside this process: documents in SQLite, found through tantivy. Its README says what is stored where. */
export async function openEmbeddedEngine({
  dataDir,
  threads = 2,
  queueMax = 256,
  openMax = 1_000,
}: EmbeddedSettings): Promise<Engine> {
  const native = inWords(() => openNativeEngine(dataDir, threads, queueMax))
  const rebuilds = openRebuilds(native, {
    begun: id => generations.begun(id),
    ended: generation => generations.ended(generation),
  })
  const generations = openGenerations({
    native,
    openMax,
    waitingMax: queueMax,
    onLost: rebuilds.watch,
    onTrouble: rebuilds.trouble,
  })
  const { within } = generations
  let lastTicket = 0
  /** Of the last 4 billion searches none has it. */
  const nextTicket = () => {
    lastTicket = (lastTicket + 1) >>> 0
    return lastTicket
  }
  /** What runs under each signal. It has one listener: to add one for each search and take it off costs more than to hand the search over. */
  const running = new WeakMap<AbortSignal, Set<number>>()
  const ticketsOf = (signal: AbortSignal): Set<number> => {
    const known = running.get(signal)
    if (known) return known
    const tickets = new Set<number>()
    signal.addEventListener('abort', () => tickets.forEach(ticket => void native.cancel(ticket)), {
      once: true,
    })
    running.set(signal, tickets)
    return tickets
  }
  /** What a generation answers; a refusal may be because it is being rebuilt. */
  const answeredBy = (id: string, outcome: Outcome): Outcome => {
    if (outcome.code === 'unavailable') rebuilds.notice(id)
    return answered(outcome)
  }
  return {
    searchesAtOnce: { useful: usefulPerThread * threads, max: queueMax },
    open: (id, spec, later = false) => generations.open(id, specJson(spec), later),
    release: id => generations.end(id, 'release'),
    drop: id => generations.end(id, 'drop'),
    isOpened: generations.isOpened,
    whenOpened: generations.whenOpened,
    info: generations.info,
    version: generations.version,
    write: async (id, writes) => {
      const ids = writes.map(write => ('put' in write ? write.put.id : write.delete))
      const entities = writes.map(write => ('put' in write ? write.put.entity : null))
      answered(await within(id, () => native.write(id, ids, entities)))
    },
    readLines: async (block, rules) => {
      const lines = newLines()
      const { head = '' } = answered(await native.readLines(lines, block, JSON.stringify(rules)))
      const write: LinesRead['write'] = async (id, others) => {
        const ids = others.map(other => other?.id ?? null)
        const entities = others.map(other => other?.entity ?? null)
        answered(await within(id, () => native.writeLines(id, lines, ids, entities)))
      }
      // Written by the addon.
      return { ...(JSON.parse(head) as Omit<LinesRead, 'write'>), write }
    },
    refresh: id =>
      within(id, async () => {
        rebuilds.notice(id)
        answeredBy(id, await native.refresh(id))
      }),
    get: async (id, documentId) => answered(await within(id, () => native.get(id, documentId))).head,
    list: async (id, after, count) => {
      const texts = answered(await within(id, () => native.list(id, after, count))).texts ?? []
      return pairs(texts).map(([documentId, entity]) => ({ id: documentId, entity }))
    },
    deleteMatching: (id, plan) =>
      within(id, async () =>
        Number(answeredBy(id, await native.deleteMatching(id, JSON.stringify(plan))).head),
      ),
    copy: (source, target) =>
      within(source, () => within(target, async () => void answered(await native.copy(source, target)))),
    search: async (id, plan, deadlineMs, signal) => {
      if (signal?.aborted) throw new EngineError('cancelled', 'whoever asked has given the query up')
      // Not by `within`: nearly always it is open, and a closure for each search is left out.
      const generation = generations.begun(id)
      try {
        let leftMs = deadlineMs
        if (generation && !generation.isOpen) {
          const beganMs = performance.now()
          await generations.openedWithin(generation, deadlineMs, signal)
          leftMs -= performance.now() - beganMs
        }
        const ticket = nextTicket()
        const cancellable = signal && ticketsOf(signal)
        cancellable?.add(ticket)
        try {
          return replyOf(answeredBy(id, await native.search(id, planJson(plan), leftMs, ticket)))
        } finally {
          cancellable?.delete(ticket)
        }
      } finally {
        generations.ended(generation)
      }
    },
    onRebuild: rebuilds.onRebuild,
    close: async () => {
      generations.close()
      answered(await native.close())
    },
  }
}

/** Plans that are asked for again are written once; they are not changed. */
const planTexts = new WeakMap<Plan, string>()
function planJson(plan: Plan): string {
  const known = planTexts.get(plan)
  if (known !== undefined) return known
  const text = JSON.stringify(plan)
  planTexts.set(plan, text)
  return text
}

/** Tells of rebuilds: each is waited for, from when it is first noticed, and its generation stays open until it is done. */
function openRebuilds(native: NativeEngine, { begun, ended }: Pick<Generations, 'begun' | 'ended'>) {
  const watched = new Set<string>()
  const untold: RebuildEvent[] = []
  let tell = (event: RebuildEvent): void => void untold.push(event)
  const infoOf = (id: string) => {
    try {
      return native.info(id)
    } catch {
      // Closed or dropped meanwhile.
      return undefined
    }
  }
  const follow = async (id: string, began: number, documents: number) => {
    for (let last = ''; ; ) {
      const { code, message = '' } = await native.refresh(id)
      if (code === undefined)
        return tell({ generation: id, documents, state: 'done', durationMs: performance.now() - began })
      if (!infoOf(id)?.rebuilding) return
      if (message !== last) tell({ generation: id, documents, state: 'failed', message })
      last = message
    }
  }
  const watch = (id: string, reason: string, began = performance.now()) => {
    if (watched.has(id)) return
    watched.add(id)
    const documents = infoOf(id)?.documents ?? 0
    tell({ generation: id, documents, state: 'begun', reason })
    const generation = begun(id)
    void follow(id, began, documents).finally(() => {
      watched.delete(id)
      ended(generation)
    })
  }
  return {
    watch,
    trouble: (generation: string, message: string) =>
      tell({ generation, documents: 0, state: 'unopened', message }),
    notice(id: string) {
      const rebuilding = infoOf(id)?.rebuilding
      if (rebuilding) watch(id, rebuilding.reason)
    },
    onRebuild(listener: (event: RebuildEvent) => void) {
      tell = listener
      untold.splice(0).forEach(listener)
    },
  }
}

/** A reply as the addon writes it: what it says of the hits, in their order. */
type Head = Omit<Reply, 'hits'> & { scores: number[]; highlights?: NonNullable<Hit['highlights']>[] }

function replyOf({ head, texts = [] }: Outcome): Reply {
  if (head === undefined) throw new EngineError('fault', 'the addon gave a reply without a head')
  const { scores, highlights, ...reply } = JSON.parse(head) as Head
  const hits = texts.map((entity, at): Hit => {
    const highlighted = highlights?.[at]
    return { entity, score: scores[at] ?? 0, ...(highlighted && { highlights: highlighted }) }
  })
  return { ...reply, hits }
}

/** Written the same however the caller built it: the addon compares it to tell whether a generation changes. */
function specJson({ fields, synonyms }: GenerationSpec): string {
  const sorted = fields.toSorted((left, right) => (left.name < right.name ? -1 : 1))
  return JSON.stringify({ fields: sorted, synonyms })
}

function pairs(texts: string[]): [string, string][] {
  return Array.from({ length: texts.length / 2 }, (_, at) => [texts[2 * at] ?? '', texts[2 * at + 1] ?? ''])
}
