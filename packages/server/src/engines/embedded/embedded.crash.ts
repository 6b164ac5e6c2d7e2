/**
 * The child process of the crash test. It waits for a line on stdin, opens the engine and prints a report of its documents. Then it
 * writes batches until it is killed, and prints the number of acknowledged batches. After some batches it starts a refresh without
 * waiting for it, so that the kill may interrupt a commit of the index.
 */
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { library, makePlan, matchAll, putDocument } from '#engines/suite/engine.suite.plans'
import { openEmbeddedEngine } from './embedded.ts'

/** Content of the engine when the process starts. */
export interface StartReport {
  /** Number of stored documents. */
  stored: number
  /** Number of documents that a search finds. */
  searchable: number
  /** Number of different ids among them. */
  distinct: number
  /** Number of documents found per batch that wrote them last. */
  batches: [batch: number, documents: number][]
}

const [dataDir = '', batchSize = '', rewritten = ''] = process.argv.slice(2)
await once(createInterface({ input: process.stdin }), 'line')
const engine = await openEmbeddedEngine({ dataDir })
await engine.open('g', library)
const report = await readStartReport()
process.stdout.write(`${JSON.stringify(report)}\n`)
for (let batch = report.stored / Number(batchSize); ; batch++) {
  const first = batch * Number(batchSize)
  const added = Array.from({ length: Number(batchSize) }, (_, index) => first + index)
  const earlier =
    batch === 0 ? [] : added.slice(0, Number(rewritten)).map(number => number - Number(batchSize))
  await engine.write(
    'g',
    [...earlier, ...added].map(number =>
      putDocument(String(number), { title: `wing ${number}`, year: batch }),
    ),
  )
  process.stdout.write(`${batch + 1}\n`)
  if (batch % 4 === 0) engine.refresh('g').catch(() => {})
}

async function readStartReport(): Promise<StartReport> {
  let stored = 0
  for (let last: string | undefined; ; ) {
    const page = await engine.list('g', last, 10_000)
    last = page.at(-1)?.id
    if (last === undefined) break
    stored += page.length
  }
  const facet = { field: 'year', offset: 0, count: stored, selected: [] }
  const { hits, facet: years } = await engine.search(
    'g',
    { ...makePlan([matchAll]), count: stored, facet },
    60_000,
  )
  const ids = new Set(hits.map(hit => JSON.parse(hit.entity).id))
  const batches = (years?.options ?? []).map(({ value, count }): [number, number] => [Number(value), count])
  return { stored, searchable: hits.length, distinct: ids.size, batches }
}
