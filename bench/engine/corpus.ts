/**
 * Documents of a catalog: a title, a paragraph, three keyword fields with few, many and very many values, a number, a date, and a boolean.
 * Paragraphs are real sentences, so word frequencies are natural. Each title has its own rare word.
 */
import { createWriteStream, existsSync, renameSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Definition } from '@querent/contract/workspace-file'
import { below, pick, randomFrom, zipf } from '#bench/random'
import { readSentences, type Sentence } from './sentences.ts'

/** Increase it if the same number of documents would have different content. */
const corpusVersion = 1
const makers = 2_000
const places = 50_000
const firstDay = Date.UTC(2000, 0, 1)
const days = 9_000
const dayMs = 24 * 60 * 60 * 1000
/** Characters that are written to the file at once. */
const documentsAtOnce = 1_000

export const catalog: Definition = {
  workspace: 'bench',
  collections: {
    products: {
      id: { field: 'id', uri: 'https://bench.example/{id}' },
      language: 'english',
      fields: {
        title: { type: 'text', weight: 2 },
        text: { type: 'text' },
        topic: { type: 'keyword' },
        maker: { type: 'keyword' },
        place: { type: 'keyword' },
        price: { type: 'number' },
        released: { type: 'date' },
        sold: { type: 'boolean' },
      },
    },
  },
  apis: {
    shop: {
      endpoints: {
        search: { kind: 'match', collection: 'products' },
        typing: { kind: 'match', collection: 'products', prefix: true },
        forgiving: { kind: 'match', collection: 'products', typos: true },
        box: { kind: 'match', collection: 'products', prefix: true, typos: true },
        everything: { kind: 'all', collection: 'products' },
        topic: { kind: 'facet', field: 'topic' },
        maker: { kind: 'facet', field: 'maker' },
        place: { kind: 'facet', field: 'place' },
        sold: { kind: 'facet', field: 'sold' },
        price: { kind: 'range', field: 'price' },
        newest: { kind: 'sort', field: 'released', order: 'descending' },
      },
    },
  },
}

/** Returns a file with the first `count` documents, one per line: id, tab, entity. Creates it in the folder if it is missing. */
export const documentsFile = async (folder: string, count: number): Promise<string> => {
  const path = join(folder, `documents-${corpusVersion}-${count}.tsv`)
  if (existsSync(path)) return path
  await mkdir(folder, { recursive: true })
  await pipeline(Readable.from(lines(await corpus(), count)), createWriteStream(`${path}.new`))
  renameSync(`${path}.new`, path)
  return path
}

function* lines(documentAt: (index: number) => BenchDocument, count: number): Generator<string> {
  for (let start = 0; start < count; start += documentsAtOnce) {
    const end = Math.min(count, start + documentsAtOnce)
    let text = ''
    for (let index = start; index < end; index++) {
      const { id, ...attributes } = documentAt(index)
      text += `${id}\t${JSON.stringify({ id, class: ['https://schema.org/Product'], attributes })}\n`
    }
    yield text
  }
}

export interface BenchDocument {
  id: string
  title: string
  text: string
  topic: string
  maker: string
  place: string[]
  price: number
  released: string
  sold: boolean
}

/** Returns a generator of documents by number. A document does not depend on the total. */
export const corpus = async (): Promise<(index: number) => BenchDocument> => {
  const sentences = await readSentences()
  const byTopic = Map.groupBy(sentences, ({ topic }) => topic)
  return index => {
    const random = randomFrom(Math.imul(index + 1, 0x9e3779b1))
    const subject = pick(random, sentences)
    const related: readonly Sentence[] = byTopic.get(subject.topic) ?? sentences
    const relatedWords = Array.from({ length: 2 + below(random, 6) }, () =>
      pick(random, random() < 0.5 ? related : sentences),
    )
    return {
      id: `https://bench.example/${String(index).padStart(7, '0')}`,
      title: `${subject.title} ${rareWord(random, index)}`,
      text: [subject, ...relatedWords].map(({ text }) => `${text}.`).join(' '),
      topic: subject.topic,
      maker: `maker ${zipf(random, makers)}`,
      place: Array.from({ length: 1 + below(random, 3) }, () => `place ${zipf(random, places)}`),
      price: Math.round(100 * Math.exp(8 * random())) / 100,
      released: new Date(firstDay + below(random, days) * dayMs).toISOString(),
      sold: random() < 0.2,
    }
  }
}

/**
 * Below this number, rare words have four syllables (160,000 words). Above it, some have a fifth, as vocabularies keep growing (Heaps'
 * law).
 */
const shortWordsUntil = 1_000_000
const longWordEvery = 20

/** Such as a make or a model. */
const rareWord = (random: () => number, index: number): string => {
  const syllables = [
    'ba',
    'co',
    'du',
    'fe',
    'gi',
    'ka',
    'lo',
    'mu',
    'ne',
    'pi',
    'ra',
    'so',
    'tu',
    've',
    'wi',
    'xo',
    'yu',
    'za',
    'tri',
    'plo',
  ]
  const isLong = index >= shortWordsUntil && below(random, longWordEvery) === 0
  return Array.from({ length: isLong ? 5 : 4 }, () => pick(random, syllables)).join('')
}
