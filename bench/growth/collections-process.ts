/**
 * Measures many collections of a hundred documents each, which are copies of one folder, in the embedded engine. Searches them in random
 * order.
 */
import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { catalog, corpus } from '#bench/engine/corpus'
import { below, randomFrom } from '#bench/random'
import { generationSpec } from '#server/collections/generation-spec'
import { openEmbeddedEngine } from '#server/engines/embedded/embedded'
import { compileApi } from '#server/query/plan/compile'
import { halfAndMost, type Memory, processorUs, readMemory } from './processor.ts'
import { finishStep, taskOfStep } from './step.ts'

export interface CollectionsTask {
  folder: string
  /** `fill` creates the missing collections. */
  do: 'fill' | 'ask'
  collections: number
}
export interface OpenTimes {
  /** Time until the engine knew all collections. */
  startMs: number
  /** One search each, which opened the collection. */
  first: { p50: number; p99: number; processorMs: number }
  /** One more search each, in another order: open collections need no opening. */
  again: { p50: number; p99: number; processorMs: number }
  /** Number of open collections at the end. */
  open: number
  before: Memory
  after: Memory
}

const documents = 100
const openMax = 1_000
const askedAtOnce = 8
const deadlineMs = 30_000
const settleMs = 3_000

const { folder, do: operation, collections } = await taskOfStep<CollectionsTask>()
const spec = generationSpec(catalog, 'products')
const collectionName = (number: number) => `collection-${number}`

const fill = async (): Promise<void> => {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const documentAt = await corpus()
  const engine = await openEmbeddedEngine({ dataDir: folder })
  const first = collectionName(0)
  await engine.open(first, spec)
  const writes = Array.from({ length: documents }, (_, index) => {
    const { id, ...attributes } = documentAt(index)
    return { put: { id, entity: JSON.stringify({ id, class: [], attributes }) } }
  })
  await engine.write(first, writes)
  await engine.refresh(first)
  await engine.close()
  for (let number = 1; number < collections; number++)
    await cp(join(folder, first), join(folder, collectionName(number)), { recursive: true })
}

/** Returns the numbers from 0 in random order. The same seed gives the same order. */
const shuffled = (size: number, seed: number): number[] => {
  const random = randomFrom(seed)
  const numbers = Array.from({ length: size }, (_, index) => index)
  for (let index = size - 1; index > 0; index--) {
    const swapIndex = below(random, index + 1)
    const [one = 0, two = 0] = [numbers[index], numbers[swapIndex]]
    numbers[index] = two
    numbers[swapIndex] = one
  }
  return numbers
}

const ask = async (): Promise<OpenTimes> => {
  const query = String((await corpus())(0).title)
  const api = compileApi(catalog, 'shop')
  const stack = [{ endpoint: 'search', parameters: [{ name: 'query', value: query }] }]
  const { plan } = api.plan({
    stack,
    filters: [],
    offset: 0,
    count: 10,
    cutoff: 0,
    statistics: false,
    total: false,
  })
  const engine = await openEmbeddedEngine({ dataDir: folder, openMax })
  const memoryBefore = readMemory(process.pid)
  const startMs = performance.now()
  for (let number = 0; number < collections; number++) await engine.open(collectionName(number), spec, true)
  const knownMs = performance.now() - startMs
  const searched = async (order: readonly number[]) => {
    const times: number[] = []
    const remaining = order.values()
    const startUs = processorUs()
    const next = async () => {
      for (const number of remaining) {
        const askedMs = performance.now()
        const { hits } = await engine.search(collectionName(number), plan, deadlineMs)
        if (hits.length === 0) throw new Error(`nothing was found in ${collectionName(number)}`)
        times.push(performance.now() - askedMs)
      }
    }
    await Promise.all(Array.from({ length: askedAtOnce }, next))
    return { ...halfAndMost(times), processorMs: (processorUs() - startUs) / 1000 / order.length }
  }
  const first = await searched(shuffled(collections, 1))
  const secondPass = await searched(shuffled(collections, 2))
  await wait(settleMs)
  const memoryAfter = readMemory(process.pid)
  return {
    startMs: knownMs,
    first,
    again: secondPass,
    open: Math.min(collections, openMax),
    before: memoryBefore,
    after: memoryAfter,
  }
}

if (operation === 'ask') finishStep(await ask())
else {
  await fill()
  finishStep({})
}
