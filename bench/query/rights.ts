/**
 * Readers and row filters on the embedded engine: documents with 1 to 50 readers and a person in 50 groups, against the same queries without
 * readers; then 10,000 different row filters, whose caches must stay bounded (docs/groups.md).
 */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anonymousMegabytes } from '#bench/engine/memory'
import { type Figure, makeFigure } from '#bench/figure'
import { measureLatency } from '#bench/http/load'
import type { Say } from '#bench/http/rounds'
import { below, randomFrom } from '#bench/random'
import type { Engine, Plan, PlanNode } from '#server/engines/engine'
import { openEngine } from '#server/engines/open'

const documentsDefault = 1_000_000
const readersMax = 50
const names = 5000
const groupsOfPerson = 50
const departments = 10_000
const queries = 500
const rounds = 5
const batch = 5000
/** From issue 38. */
const slowdownMax = 1.5
const cliffMax = 1.5
const grownMiBMax = 64
const words = [
  'harbor',
  'merger',
  'bridge',
  'garden',
  'museum',
  'river',
  'castle',
  'market',
  'tower',
  'forest',
]

export const rightsFigures = async (say: Say, sizes = [documentsDefault]): Promise<Figure[]> => {
  const figures: Figure[] = []
  for (const size of sizes) figures.push(...(await measureSize(say, size)))
  return figures
}

const measureSize = async (say: Say, size: number): Promise<Figure[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'querent-bench-rights-'))
  const engine = await openEngine({ kind: 'embedded', dataDir: folder })
  try {
    const generation = randomUUID()
    await engine.open(generation, {
      fields: [
        { name: 'title', type: 'text', language: 'none', prefix: false },
        { name: 'readers', type: 'keyword' },
        { name: 'department', type: 'keyword' },
      ],
    })
    say(`${size} documents with 1 to ${readersMax} readers are written`)
    await fill(engine, generation, size)
    return [
      ...(await measureReaders(engine, generation, size, say)),
      ...(await measureFilters(engine, generation, size, say)),
    ]
  } finally {
    await engine.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const fill = async (engine: Engine, generation: string, size: number): Promise<void> => {
  const random = randomFrom(1)
  const pick = (count: number) => below(random, count)
  for (let start = 0; start < size; start += batch) {
    const documents = Array.from({ length: Math.min(batch, size - start) }, (_, index) => {
      const id = `urn:d:${start + index}`
      const attributes = {
        title: Array.from({ length: 6 }, () => `${words[pick(words.length)]}${pick(100)}`).join(' '),
        readers: Array.from({ length: 1 + pick(readersMax) }, () => `group-${pick(names)}`),
        department: `department-${pick(departments)}`,
      }
      return { put: { id, entity: JSON.stringify({ id, class: [], attributes }) } }
    })
    await engine.write(generation, documents)
  }
  await engine.refresh(generation)
}

const makePlan = (text: string, restrictions: PlanNode[]): Plan => ({
  nodes: [
    {
      kind: 'match',
      text: { words: text.split(' '), phrases: [], excludedWords: [], excludedPhrases: [] },
      fields: [{ name: 'title', weight: 1 }],
      ranking: 'words',
      matching: 'any',
    },
  ],
  restrictions,
  order: [{ by: 'score' }],
  cutoff: 0,
  offset: 0,
  count: 10,
  statistics: false,
})

const filterBy = (field: string, values: string[]): PlanNode => ({
  kind: 'filter',
  field,
  alternatives: [{ score: 1, values }],
})

/** Milliseconds of each query. */
const runQueries = async (
  engine: Engine,
  generation: string,
  count: number,
  restrict: (index: number) => PlanNode[],
): Promise<number[]> => {
  const random = randomFrom(2)
  const times: number[] = []
  for (let index = 0; index < count; index++) {
    const text = `${words[Math.floor(random() * words.length)]}${Math.floor(random() * 100)}`
    const plan = makePlan(text, restrict(index))
    const startMs = performance.now()
    await engine.search(generation, plan, 60_000)
    times.push(performance.now() - startMs)
  }
  return times
}

const measureReaders = async (
  engine: Engine,
  generation: string,
  size: number,
  say: Say,
): Promise<Figure[]> => {
  const person = [
    'person@example.org',
    ...Array.from({ length: groupsOfPerson }, (_, group) => `group-${group}`),
  ]
  const readers = [filterBy('readers', ['*', ...person])]
  const plain: Latencies[] = []
  const restricted: Latencies[] = []
  for (let round = -1; round < rounds; round++) {
    const unlimited = measureLatency(await runQueries(engine, generation, queries, () => []))
    const limited = measureLatency(await runQueries(engine, generation, queries, () => readers))
    if (round < 0) continue
    plain.push(unlimited)
    restricted.push(limited)
  }
  return (['p50', 'p99'] as const).flatMap(percentile => {
    const details = { unit: 'ms', better: 'lower' } as const
    const unlimited = makeFigure(
      plain.map(latencies => latencies[percentile]),
      { name: `${size} documents, without readers, ${percentile}`, ...details },
    )
    const limited = makeFigure(
      restricted.map(latencies => latencies[percentile]),
      {
        name: `${size} documents, ${groupsOfPerson} groups, ${percentile}`,
        ...details,
        goal: unlimited.value * slowdownMax,
      },
    )
    sayLimit(say, `${size} documents, ${groupsOfPerson} groups, ${percentile}`, limited.value, {
      base: unlimited.value,
      factorMax: slowdownMax,
      unit: 'ms',
    })
    return [unlimited, limited]
  })
}

/** Says a value beside its limit, and how often it takes the base. */
const sayLimit = (
  say: Say,
  name: string,
  ours: number,
  { base, factorMax, unit }: { base: number; factorMax: number; unit: string },
): void =>
  say(
    `${name}: ours ${ours.toFixed(2)} ${unit}, limit ${(base * factorMax).toFixed(2)} ${unit} (${factorMax} times ${base.toFixed(2)}), ratio ${(ours / base).toFixed(2)}`,
  )

type Latencies = ReturnType<typeof measureLatency>

/** Every query has another filter than those before. The second pass finds the caches turned over. */
const measureFilters = async (
  engine: Engine,
  generation: string,
  size: number,
  say: Say,
): Promise<Figure[]> => {
  const restrict = (index: number) => [filterBy('department', [`department-${index % departments}`])]
  const first = measureLatency(await runQueries(engine, generation, departments, restrict))
  const memoryAfterFirst = anonymousMegabytes()
  const second = measureLatency(await runQueries(engine, generation, departments, restrict))
  // Without the files of the index, which the system drops when it needs the memory.
  const grownMiB = anonymousMegabytes() - memoryAfterFirst
  sayLimit(say, `${size} documents, ${departments} filters again, p99`, second.p99, {
    base: first.p99,
    factorMax: cliffMax,
    unit: 'ms',
  })
  say(`memory of the second pass: ours ${grownMiB.toFixed(0)} MiB, limit ${grownMiBMax} MiB`)
  const name = `${size} documents, ${departments} different filters`
  return [
    makeFigure([first.p99], { name: `${name}, p99`, unit: 'ms', better: 'lower' }),
    makeFigure([second.p99], {
      name: `${name}, second pass, p99`,
      unit: 'ms',
      better: 'lower',
      goal: first.p99 * cliffMax,
    }),
    makeFigure([grownMiB], {
      name: `${name}, memory of the second pass`,
      unit: 'MiB',
      better: 'lower',
      goal: grownMiBMax,
    }),
  ]
}
