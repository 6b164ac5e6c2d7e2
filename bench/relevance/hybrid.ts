/**
 * nDCG@10 of words, of vectors and of both, on the test collections. The vectors come from a model server, or else from the collection
 * itself.
 */
import type { Definition } from '@querent/contract/workspace-file'
import { type Figure, makeFigure } from '#bench/figure'
import { createEmbedders, type EmbedderSettings } from '#server/embedding/embedders'
import { withIndex } from './index.ts'
import { analyzeLatentSemantics, latentDimensions } from './latent-semantics.ts'
import { type JudgedCollection, measureNdcg, ranks } from './test-collection.ts'

/** The settings of a model server that `--model` names. */
export type ModelServer = Pick<EmbedderSettings, 'url' | 'model' | 'dimensions'>

/** Reads the value of `--model`. Throws if it is not a model server. */
export const readModelServer = (text: string): ModelServer => {
  const { url, model, dimensions }: Partial<ModelServer> = JSON.parse(text)
  if (typeof url !== 'string' || typeof model !== 'string' || typeof dimensions !== 'number')
    throw new Error('--model needs a url, a model and dimensions')
  return { url, model, dimensions }
}

/** By how much a mix may be worse than the better one of its parts. */
const tolerance = 0.02

const makeDefinition = (dimensions: number): Definition => ({
  workspace: 'bench',
  collections: {
    abstracts: {
      id: { field: 'id', uri: 'https://bench.example/{id}' },
      language: 'english',
      fields: { title: { type: 'text' }, text: { type: 'text' }, meaning: { type: 'vector', dimensions } },
    },
  },
  apis: {
    abstracts: {
      endpoints: {
        words: { kind: 'match', collection: 'abstracts' },
        vectors: { kind: 'nearest', collection: 'abstracts', field: 'meaning' },
        ranks: { kind: 'mix', of: { words: 1, vectors: 1 } },
        scores: { kind: 'mix', of: { words: 1, vectors: 1 }, scores: true },
      },
    },
  },
})

/** Measures one collection. Without `server`, hybrid search must beat words. */
export const hybridFigures = async (
  collection: JudgedCollection,
  server: ModelServer | undefined,
  say: (text: string) => void,
): Promise<Figure[]> => {
  const { name, documents, queries } = collection
  const texts = documents.map(({ title, text }) => `${title}. ${text}`)
  const { source, vectors } = await makeVectors(
    texts,
    queries.map(({ text }) => text),
    server,
  )
  const definition = makeDefinition(server?.dimensions ?? latentDimensions)
  const withVectors = documents.map((document, index) => ({ ...document, meaning: vectors.documents[index] }))
  const values: Record<string, number> = {}
  await withIndex(definition, 'abstracts', withVectors, async search => {
    for (const endpoint of ['words', 'vectors', 'ranks', 'scores'])
      values[endpoint] = await measureNdcg(collection, (text, index) => {
        const vector = vectors.queries[index]?.join(',') ?? ''
        const parameters = {
          ...(endpoint !== 'vectors' && { query: text }),
          ...(endpoint !== 'words' && { vector }),
        }
        return search(endpoint, parameters, ranks)
      })
  })
  const { words = Number.NaN, vectors: meaning = Number.NaN } = values
  const better = Math.max(words, meaning)
  say(
    `${name}, ${source}: ${Object.entries(values)
      .map(([part, value]) => `${part} ${value.toFixed(4)}`)
      .join(', ')}`,
  )
  const titles = { vectors: 'vectors alone', ranks: 'hybrid by ranks', scores: 'hybrid by scores' }
  return Object.entries(titles).map(([endpoint, title]) =>
    makeFigure([values[endpoint] ?? Number.NaN], {
      name: `nDCG@10, ${name}, ${title}, ${source}`,
      unit: '',
      better: 'higher',
      ...(endpoint !== 'vectors' && {
        goal: server === undefined ? Math.max(words, better * (1 - tolerance)) : better * (1 - tolerance),
        peers: `words ${shorten(words)} · vectors ${shorten(meaning)}`,
      }),
    }),
  )
}

const shorten = (value: number): string => value.toFixed(3).replace(/^0/, '')

interface Vectors {
  documents: number[][]
  queries: number[][]
}

const makeVectors = async (
  texts: readonly string[],
  queries: readonly string[],
  server: ModelServer | undefined,
): Promise<{ source: string; vectors: Vectors }> => {
  if (server === undefined) {
    const makeVector = analyzeLatentSemantics(texts)
    return {
      source: 'latent semantic analysis',
      vectors: { documents: texts.map(makeVector), queries: queries.map(makeVector) },
    }
  }
  const embedder = createEmbedders(
    { bench: { ...server, batchSize: 32, timeLimitMs: 120_000 } },
    { internalHosts: [new URL(server.url).host] },
  ).get('bench')
  if (embedder === undefined) throw new Error('there is no embedder')
  const embed = async (all: readonly string[]): Promise<number[][]> =>
    (await embedder.embed(all)).map(vector => {
      if (vector instanceof Error) throw vector
      return [...vector]
    })
  return {
    source: server.model,
    vectors: { documents: await embed(texts), queries: await embed(queries) },
  }
}
