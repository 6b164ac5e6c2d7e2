/**
 * nDCG@10 of the engine with its defaults on test collections: folders with `documents.ndjson` {id, title, text}, `queries.ndjson`
 * {id, text} and `judgments.tsv` query, document, grade. They are not part of the repository.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Definition } from '@querent/contract/workspace-file'
import { generationSpec } from '#server/collections/generation-spec'
import { openEmbeddedEngine } from '#server/engines/embedded/embedded'
import { compileApi } from '#server/query/plan/compile'
import { type Figure, makeFigure } from './figure.ts'

interface Query {
  id: string
  text: string
}

const ranks = 10
const deadlineMs = 60_000
const goals: Partial<Record<string, number>> = { cranfield: 0.393, cisi: 0.377 }
const peers: Partial<Record<string, string>> = {
  cranfield: 'OpenSearch .393 · FTS5 .382 · MiniSearch .338',
  cisi: 'OpenSearch .378 · FTS5 .322 · MiniSearch .278',
}

const definition: Definition = {
  workspace: 'bench',
  collections: {
    abstracts: {
      id: { field: 'id', uri: 'https://bench.example/{id}' },
      language: 'english',
      fields: { title: { type: 'text' }, text: { type: 'text' } },
    },
  },
  apis: { abstracts: { endpoints: { search: { kind: 'match', collection: 'abstracts' } } } },
}

/** Returns one figure per folder of the data. Throws if there is none. */
export const relevanceFigures = async (data: string, say: (text: string) => void): Promise<Figure[]> => {
  const entries = await readdir(data, { withFileTypes: true })
  const names = entries.filter(entry => entry.isDirectory()).map(({ name }) => name)
  if (names.length === 0) throw new Error(`there is no test collection in ${data}`)
  const figures: Figure[] = []
  for (const name of names.toSorted()) {
    const value = await ndcg(join(data, name))
    const goal = goals[name]
    const peerFigures = peers[name]
    const details = { name: `nDCG@10, ${name}`, unit: '', better: 'higher' } as const
    figures.push(
      makeFigure([value], { ...details, ...(goal && { goal }), ...(peerFigures && { peers: peerFigures }) }),
    )
    say(`${name}: ${value.toFixed(4)}`)
  }
  return figures
}

const ndcg = async (folder: string): Promise<number> => {
  const documents = await readLines<{ id: string; title: string; text: string }>(
    join(folder, 'documents.ndjson'),
  )
  const queries = await readLines<Query>(join(folder, 'queries.ndjson'))
  const grades = await readGrades(join(folder, 'judgments.tsv'))
  const dataDir = await mkdtemp(join(tmpdir(), 'querent-bench-'))
  const engine = await openEmbeddedEngine({ dataDir })
  try {
    await engine.open('abstracts', generationSpec(definition, 'abstracts'))
    await engine.write(
      'abstracts',
      documents.map(({ id, ...attributes }) => ({
        put: { id, entity: JSON.stringify({ id, class: [], attributes }) },
      })),
    )
    await engine.refresh('abstracts')
    const api = compileApi(definition, 'abstracts')
    const gains: number[] = []
    for (const { id, text } of queries) {
      const judgments = grades.get(id)
      if (judgments === undefined || ![...judgments.values()].some(grade => grade > 0)) continue
      const stack = [{ endpoint: 'search', parameters: [{ name: 'query', value: text }] }]
      const plan = {
        stack,
        filters: [],
        offset: 0,
        count: ranks,
        cutoff: 0,
        statistics: false,
        total: false,
      }
      const { hits } = await engine.search('abstracts', api.plan(plan).plan, deadlineMs)
      const hitGains = hits.map(({ entity }) => judgments.get(JSON.parse(entity).id) ?? 0)
      gains.push(
        discounted(hitGains) / discounted([...judgments.values()].toSorted((left, right) => right - left)),
      )
    }
    return gains.reduce((sum, gain) => sum + gain, 0) / gains.length
  } finally {
    await engine.close()
    await rm(dataDir, { recursive: true })
  }
}

/** Discounted cumulative gain of the first ten, with gain 2^grade - 1 (Burges and others 2005). */
const discounted = (grades: readonly number[]): number =>
  grades.slice(0, ranks).reduce((sum, grade, rank) => sum + (2 ** grade - 1) / Math.log2(rank + 2), 0)

const readLines = async <T>(path: string): Promise<T[]> =>
  (await readFile(path, 'utf8'))
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))

/** Query → document → grade. */
const readGrades = async (path: string): Promise<Map<string, Map<string, number>>> => {
  const grades = new Map<string, Map<string, number>>()
  for (const line of (await readFile(path, 'utf8')).split('\n')) {
    const [query, document, grade] = line.split('\t')
    if (query === undefined || document === undefined) continue
    const judgments = grades.get(query) ?? new Map<string, number>()
    grades.set(query, judgments.set(document, Number(grade)))
  }
  return grades
}
