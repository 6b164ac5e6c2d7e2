import { type NativeEngine, type Outcome, openNativeEngine } from '@querent/engine'
import {
  type Engine,
  EngineError,
  type EngineErrorCode,
  type GenerationInfo,
  type GenerationSpec,
  type Hit,
  type Plan,
  type Reply,
} from './engine.ts'

export interface EmbeddedSettings {
  /** Folder of all generations; made when it is not there. One process at a time has a generation open. */
  dataDir: string
  /** Threads that search; the number of cores less one is a good choice. */
  threads?: number
  /** Searches that may wait for a thread; the next is refused as overloaded. */
  queueMax?: number
}

/** The search engine inside this process: documents in SQLite, found through tantivy. Its README says what is stored where. */
export async function openEmbeddedEngine({
  dataDir,
  threads = 2,
  queueMax = 256,
}: EmbeddedSettings): Promise<Engine> {
  const native = inWords(() => openNativeEngine(dataDir, threads, queueMax))
  return {
    open: async (id, spec) => void answered(await native.open(id, specJson(spec))),
    drop: async id => void answered(await native.drop(id)),
    info: (id): GenerationInfo => inWords(() => native.info(id)),
    write: async (id, writes) => {
      const ids = writes.map(write => ('put' in write ? write.put.id : write.delete))
      const entities = writes.map(write => ('put' in write ? write.put.entity : null))
      answered(await native.write(id, ids, entities))
    },
    refresh: async id => void answered(await native.refresh(id)),
    get: async (id, documentId) => answered(await native.get(id, documentId)).head,
    list: async (id, after, count) => {
      const texts = answered(await native.list(id, after, count)).texts ?? []
      return pairs(texts).map(([documentId, entity]) => ({ id: documentId, entity }))
    },
    deleteMatching: async (id, plan) =>
      Number(answered(await native.deleteMatching(id, JSON.stringify(plan))).head),
    copy: async (source, target) => void answered(await native.copy(source, target)),
    search: (id, plan, deadlineMs) => search(native, id, plan, deadlineMs),
    close: async () => void answered(await native.close()),
  }
}

/** A reply as the addon writes it: what it says of the hits, in their order. */
type Head = Omit<Reply, 'hits'> & { scores: number[]; highlights?: NonNullable<Hit['highlights']>[] }

async function search(native: NativeEngine, id: string, plan: Plan, deadlineMs: number): Promise<Reply> {
  const { head, texts = [] } = answered(await native.search(id, JSON.stringify(plan), deadlineMs))
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

function answered(outcome: Outcome): Outcome {
  if (outcome.code === undefined) return outcome
  throw new EngineError(errorCode(outcome.code), outcome.message ?? 'the addon gave no reason')
}

/** What the addon throws as `code: message`, as an EngineError. */
function inWords<T>(call: () => T): T {
  try {
    return call()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const colon = message.indexOf(': ')
    throw new EngineError(errorCode(message.slice(0, colon)), message.slice(colon + 2), { cause: error })
  }
}

const errorCodes: readonly EngineErrorCode[] = [
  'unsupported',
  'unavailable',
  'overloaded',
  'timeout',
  'fault',
]

function errorCode(text: string): EngineErrorCode {
  return errorCodes.find(code => code === text) ?? 'fault'
}

function pairs(texts: string[]): [string, string][] {
  return Array.from({ length: texts.length / 2 }, (_, at) => [texts[2 * at] ?? '', texts[2 * at + 1] ?? ''])
}
