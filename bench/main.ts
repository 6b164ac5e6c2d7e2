/**
 * `npm run bench`: measures, and prints our figures next to the goals and those of others. Runs the named parts (`npm run bench --
 * relevance`), or all. `-- --check` compares with the committed results, and `-- --save` replaces them.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { consoleFigures } from './console/pages.ts'
import { curvesTable } from './curves.ts'
import { engineFigures } from './engine/scenario.ts'
import type { Figure } from './figure.ts'
import { growthParts } from './growth/growth.ts'
import { findFasterGrowth, readGrowthRatios, readSavedRatios, saveRatios } from './growth-ratios.ts'
import { nodesFigures } from './nodes/removals.ts'
import { authorizationFigures } from './query/authorization.ts'
import { documentListFigures } from './query/document-list.ts'
import { rightsFigures } from './query/rights.ts'
import { scaleFigures } from './query/scale.ts'
import {
  batchPart,
  coresPart,
  dpopPart,
  fairnessPart,
  importsFigures,
  mcpPart,
  peersFigures,
  queryFigures,
  startFigures,
} from './query/scenario.ts'
import { stallFigures } from './query/stalls.ts'
import { typingFigures } from './query/typing.ts'
import { compoundFigures } from './relevance/compounds.ts'
import { hybridFigures, type ModelServer, readModelServer } from './relevance/hybrid.ts'
import { judgedFigures } from './relevance/judged.ts'
import { knownItemFigures } from './relevance/known-items.ts'
import { readCollections } from './relevance/test-collection.ts'
import {
  describeMachine,
  fallen,
  type Results,
  readResults,
  saveResults,
  table,
  yardstick,
} from './results.ts'
import { tokenFigures } from './tokens/tokens.ts'
import { vectorsFigures } from './vectors/vectors.ts'

const usage = `npm run bench -- [PART…] [--check | --check-growth | --save] [--data FOLDER] [--folder FOLDER] [--model JSON]

  PART      relevance, engine; over HTTP, servers on the first core and the load on the second: query, peers, start, imports,
            authorization, tokens; all of them when none is named. Only when they are named: scale, nodes, batch, cores, dpop, fairness, mcp, stalls, typing, documents, console, vectors, rights, and growth, which is
            ${Object.keys(growthParts).join(', ')}
  --check   name what fell by more than 25 % against bench/results/, and fail when something did
  --check-growth  name what grows by more than 25 % faster per tenfold size than in bench/results/growth-ratios.json, for the same sizes, and
            fail when something does; on a machine of any speed
  --save-growth   write that file
  --save    write bench/results/ and the tables of bench/notes/
  --data    folder of the test collections of relevance, else QUERENT_BENCH_DATA
  --folder  where the engine's million documents are made (3 GB), and those of scale (3 GB) and of growth (35 GB), and kept for the next
            run, whose import is then not measured; without it a temporary one
  --sizes   of engine, growth, vectors and rights, other ones: 10000,100000; then --check compares what was measured
  --model   of relevance, the sentence model of hybrid search: '{"url": "http://127.0.0.1:11434/v1", "model": "all-minilm", "dimensions": 384}';
            without it, vectors come from the collections themselves`

interface Settings {
  data: string | undefined
  folder: string | undefined
  sizes: number[] | undefined
  model: ModelServer | undefined
}

const say = (text: string) => console.error(`  ${text}`)

const parts: Record<string, (settings: Settings) => Promise<Figure[]>> = {
  relevance: async ({ data, model }) => {
    if (data === undefined)
      throw new Error('say where the test collections are: --data or QUERENT_BENCH_DATA')
    const figures: Figure[] = []
    for (const collection of await readCollections(data)) {
      figures.push(...(await judgedFigures(collection, say)))
      figures.push(...(await hybridFigures(collection, model, say)))
    }
    return [...figures, ...(await knownItemFigures(say)), ...(await compoundFigures(say))]
  },
  engine: async ({ folder, sizes }) => {
    if (folder !== undefined) return engineFigures({ folder, say, sizes })
    const temporary = await mkdtemp(join(tmpdir(), 'querent-bench-'))
    try {
      return await engineFigures({ folder: temporary, say, sizes })
    } finally {
      await rm(temporary, { recursive: true })
    }
  },
  query: () => queryFigures(say),
  peers: () => peersFigures(say),
  start: () => startFigures(say),
  imports: () => importsFigures(say),
  authorization: () => authorizationFigures(say),
  tokens: () => tokenFigures(say),
  dpop: () => dpopPart(say),
  batch: () => batchPart(say),
  cores: () => coresPart(say),
  mcp: () => mcpPart(say),
  fairness: () => fairnessPart(say),
  stalls: () => stallFigures(say),
  typing: () => typingFigures(say),
  documents: () => documentListFigures(say),
  console: () => consoleFigures(say),
  nodes: () => nodesFigures(say),
  vectors: ({ sizes }) => vectorsFigures(say, sizes),
  rights: ({ sizes }) => rightsFigures(say, sizes),
  scale: ({ folder }) => scaleFigures(say, folder),
  ...Object.fromEntries(
    Object.entries(growthParts).map(([name, part]) => [
      name,
      ({ folder, sizes }: Settings) =>
        part({ folder: folder === undefined ? undefined : join(folder, 'growth'), sizes, say }),
    ]),
  ),
}
/** Slow parts, which run only if they are named. */
const explicitParts = new Set([
  'scale',
  'nodes',
  'batch',
  'cores',
  'dpop',
  'fairness',
  'mcp',
  'stalls',
  'typing',
  'documents',
  'console',
  'vectors',
  'rights',
  ...Object.keys(growthParts),
])

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    check: { type: 'boolean', default: false },
    'check-growth': { type: 'boolean', default: false },
    'save-growth': { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
    data: { type: 'string' },
    folder: { type: 'string' },
    sizes: { type: 'string' },
    model: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
const selectedParts = positionals.flatMap(name => (name === 'growth' ? Object.keys(growthParts) : [name]))
const unknown = selectedParts.filter(name => !Object.hasOwn(parts, name))
if (values.help || unknown.length > 0) {
  console.error(
    unknown.length > 0 ? `no part of the bench is called ${unknown.join(' or ')}\n\n${usage}` : usage,
  )
  process.exit(values.help ? 0 : 1)
}

const settings: Settings = {
  data: values.data ?? process.env.QUERENT_BENCH_DATA,
  folder: values.folder,
  sizes: values.sizes?.split(',').map(Number),
  model: values.model === undefined ? undefined : readModelServer(values.model),
}
/** Returns a line for each result that is worse than the saved one. */
const compare = async (name: string, results: Results): Promise<string[]> => [
  ...(values.check
    ? fallen(results, await readResults(name), { partial: settings.sizes !== undefined })
    : []),
  ...(values['check-growth']
    ? findFasterGrowth(readGrowthRatios(results.figures), await readSavedRatios(name))
    : []),
]

const machine = describeMachine()
console.log(machine)
for (const name of selectedParts.length > 0
  ? selectedParts
  : Object.keys(parts).filter(name => !explicitParts.has(name))) {
  const part = parts[name]
  if (part === undefined) continue
  const startMs = performance.now()
  try {
    const results = {
      date: new Date().toISOString().slice(0, 10),
      machine,
      yardstickMs: yardstick(),
      figures: await part(settings),
    }
    console.log(
      `\n${name}\n\n${[curvesTable(results.figures), table(results.figures)].filter(Boolean).join('\n\n')}`,
    )
    for (const message of await compare(name, results)) {
      console.error(message)
      process.exitCode = 1
    }
    if (values.save) await saveResults(name, results)
    if (values['save-growth']) await saveRatios(name, readGrowthRatios(results.figures))
  } catch (error) {
    console.error(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  }
  say(`${name} took ${Math.round((performance.now() - startMs) / 1000)} s`)
}
