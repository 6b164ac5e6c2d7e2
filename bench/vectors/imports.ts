/** Imports of lines of JSON into the engine, as the server imports them, with and without vectors. */
import { Readable } from 'node:stream'
import type { Definition } from '@querent/contract/workspace-file'
import { catalog as catalogDefinition, corpus } from '#bench/engine/corpus'
import { generationSpec } from '#server/collections/generation-spec'
import { documentReader } from '#server/documents/entity'
import { importBlocks } from '#server/documents/import'
import type { Engine, GenerationSpec } from '#server/engines/engine'
import { dimensions } from './clusters.ts'

const vectorField = 'meaning'
const collection = 'products'
const blockLines = 1_000
/** Lines that are made before the clock starts. */
const groupLines = 20_000
export const tags = 100

/** Documents of one kind, by number. */
export interface DocumentKind {
  definition: Definition
  documentAt: (index: number) => object
}

/** A title and a tag: hardly anything but the vector. */
export const short: DocumentKind = {
  definition: {
    workspace: 'bench',
    collections: {
      [collection]: {
        id: { field: 'id', uri: 'https://bench.example/{id}' },
        language: 'english',
        fields: { title: { type: 'text' }, tag: { type: 'keyword' } },
      },
    },
  },
  documentAt: index => ({
    id: `${index}`,
    title: `document ${index} about subject ${index % 977} and place ${index % 353}, with some more words`,
    tag: `t${index % tags}`,
  }),
}

/** A title, a paragraph and six other fields. */
export const catalog = async (): Promise<DocumentKind> => ({
  definition: catalogDefinition,
  documentAt: await corpus(),
})

const withVectors = (definition: Definition): Definition => {
  const products = definition.collections?.[collection]
  if (!products) throw new Error('the collection is missing')
  const fields = { ...products.fields, [vectorField]: { type: 'vector', dimensions } as const }
  return { ...definition, collections: { [collection]: { ...products, fields } } }
}

/** Returns the spec of a generation for documents of this kind. */
export const createSpec = ({ definition }: DocumentKind, hasVectors: boolean): GenerationSpec =>
  generationSpec(hasVectors ? withVectors(definition) : definition, collection)

/** Returns documents per second until all can be found. Making the documents does not count. */
export const importAll = async (
  engine: Engine,
  generation: string,
  kind: DocumentKind,
  count: number,
  vectors?: Float32Array,
): Promise<number> => {
  const definition = vectors ? withVectors(kind.definition) : kind.definition
  const reader = documentReader(definition, collection)
  const { rules } = reader
  if (!engine.readLines || !rules) throw new Error('the engine does not read lines')
  const readLines = engine.readLines.bind(engine)
  let accepted = 0
  let ms = 0
  for (let start = 0; start < count; start += groupLines) {
    const lines = Array.from({ length: Math.min(groupLines, count - start) }, (_, offset) =>
      Buffer.from(makeLine(kind, start + offset, vectors)),
    )
    const blocks = Array.from({ length: Math.ceil(lines.length / blockLines) }, (_, block) =>
      Buffer.concat(lines.slice(block * blockLines, (block + 1) * blockLines)),
    )
    const startedMs = performance.now()
    const reply = await importBlocks({
      body: Readable.from(blocks),
      reader,
      readLines: block => readLines(block, rules),
      write: (read, fallbackDocuments) => read.write(generation, fallbackDocuments),
    })
    ms += performance.now() - startedMs
    accepted += reply.accepted
  }
  if (accepted !== count) throw new Error(`${accepted} of ${count} documents were accepted`)
  const refreshStartedMs = performance.now()
  await engine.refresh(generation)
  return (1000 * count) / (ms + performance.now() - refreshStartedMs)
}

const makeLine = ({ documentAt }: DocumentKind, index: number, vectors: Float32Array | undefined): string => {
  const json = JSON.stringify(documentAt(index))
  if (!vectors) return `${json}\n`
  const vector = vectors.subarray(index * dimensions, (index + 1) * dimensions)
  // As `JSON.stringify` writes numbers.
  const numbers = Array.from(vector, number => Number(number.toFixed(6))).join(',')
  return `${json.slice(0, -1)},"${vectorField}":[${numbers}]}\n`
}
