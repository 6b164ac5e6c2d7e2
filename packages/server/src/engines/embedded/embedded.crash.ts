/**
 * The child process of the crash test. It waits for a line on its standard input, opens the engine and prints what it finds there; then
 * it writes batches for ever and prints how many were acknowledged, until it is killed. Some are followed by a refresh nobody waits for,
 * so that the end may come in the middle of a commit of the index.
 */
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { all, library, planOf, put } from '#engines/suite/engine.suite.plans'
import { openEmbeddedEngine } from './embedded.ts'

/** What a life begins with. */
export interface Found {
  /** Documents that are stored. */
  stored: number
  /** Those that a search finds, and how many different ids they have. */
  found: number
  distinct: number
  /** How many of those found were written last in which batch. */
  batches: [batch: number, documents: number][]
}

const [dataDir = '', batchSize = '', rewritten = ''] = process.argv.slice(2)
await once(createInterface({ input: process.stdin }), 'line')
const engine = await openEmbeddedEngine({ dataDir })
await engine.open('g', library)
const found = await look()
process.stdout.write(`${JSON.stringify(found)}\n`)
for (let batch = found.stored / Number(batchSize); ; batch++) {
  const first = batch * Number(batchSize)
  const own = Array.from({ length: Number(batchSize) }, (_, at) => first + at)
  const earlier = batch === 0 ? [] : own.slice(0, Number(rewritten)).map(number => number - Number(batchSize))
  await engine.write(
    'g',
    [...earlier, ...own].map(number => put(String(number), { title: `wing ${number}`, year: batch })),
  )
  process.stdout.write(`${batch + 1}\n`)
  if (batch % 4 === 0) engine.refresh('g').catch(() => {})
}

async function look(): Promise<Found> {
  let stored = 0
  for (let last: string | undefined; ; ) {
    const page = await engine.list('g', last, 10_000)
    last = page.at(-1)?.id
    if (last === undefined) break
    stored += page.length
  }
  const facet = { field: 'year', offset: 0, count: stored, selected: [] }
  const { hits, facet: years } = await engine.search('g', { ...planOf([all]), count: stored, facet }, 60_000)
  const ids = new Set(hits.map(hit => JSON.parse(hit.entity).id))
  const batches = (years?.options ?? []).map(({ value, count }): [number, number] => [Number(value), count])
  return { stored, found: hits.length, distinct: ids.size, batches }
}
