/**
 * What a member with a row filter may put: documents that match the filter, and in the place of none that does not. So nobody plants
 * or overwrites what they may not see.
 */
import {
  type FilterableType,
  isFilterable,
  isWholeDay,
  plainDate,
  readFieldValue,
} from '@querent/contract/field-value'
import type { RowFilter } from '@querent/contract/manage'
import type { Collection } from '@querent/contract/workspace-file'
import type { Engine, EngineDocument } from '#engines/engine'
import type { DocumentReader } from './entity.ts'

/** Documents looked at together. */
const pageDocuments = 1000

export interface Allowed {
  /** Why a document may not be put; undefined when it may. */
  refusal: (attributes: Readonly<Record<string, unknown>>) => string | undefined
  /** Of these documents the places of those whose id belongs, in that generation, to a document that the filter hides. */
  hidden: (
    engine: Engine,
    generationId: string,
    documents: readonly Pick<EngineDocument, 'id'>[],
  ) => Promise<Set<number>>
  /** Whether any document of `source` would take the place of a hidden one of `target`. */
  hidesAny: (engine: Engine, source: string, target: string) => Promise<boolean>
}

export const hiddenMessage = 'another document has this id, which your row filter does not let you see'

/** Fails closed, as queries do: what the collection cannot be filtered by lets nothing through. */
export const allowedBy = (filter: RowFilter, { fields = {} }: Collection): Allowed => {
  const conditions = Object.entries(filter).map(([field, allowed]) => {
    const type = Object.hasOwn(fields, field) ? fields[field]?.type : undefined
    const texts = (Array.isArray(allowed) ? allowed : [allowed]).map(String)
    return { field, texts, fits: type && isFilterable(type) ? matcher(type, texts) : () => false }
  })
  const refusal: Allowed['refusal'] = attributes => {
    const failed = conditions.find(({ field, fits }) => {
      const value = Object.hasOwn(attributes, field) ? attributes[field] : undefined
      return !(Array.isArray(value) ? value : [value]).some(fits)
    })
    return (
      failed &&
      `your row filter lets you put only documents whose "${failed.field}" is ${failed.texts.slice(0, 20).join(' or ')}`
    )
  }
  const isHidden = (entity: string | undefined): boolean => {
    if (entity === undefined) return false
    // Made by `DocumentReader.read` alone.
    const { attributes } = JSON.parse(entity) as { attributes: Record<string, unknown> }
    return refusal(attributes) !== undefined
  }
  const hidden: Allowed['hidden'] = async (engine, generationId, documents) => {
    const found = new Set<number>()
    for (const [at, { id }] of documents.entries())
      if (isHidden(await engine.get(generationId, id))) found.add(at)
    return found
  }
  const hidesAny: Allowed['hidesAny'] = async (engine, source, target) => {
    let page: EngineDocument[]
    let after: string | undefined
    do {
      page = await engine.list(source, after, pageDocuments)
      after = page.at(-1)?.id
      if ((await hidden(engine, target, page)).size > 0) return true
    } while (page.length === pageDocuments)
    return false
  }
  return { refusal, hidden, hidesAny }
}

const dayMs = 24 * 60 * 60 * 1000

/** Tells whether a value equals one of `texts`; a day alone stands for all of its instants, in UTC. */
const matcher = (type: FilterableType, texts: readonly string[]): ((value: unknown) => boolean) => {
  const values = texts.map(text => readFieldValue(type, text)).filter(value => value !== undefined)
  if (type !== 'date') return value => values.some(one => one === value)
  const spans = values.map(String).map(date => {
    const from = Date.parse(date)
    return { from, to: isWholeDay(date) ? from + dayMs - 1 : from }
  })
  return value => {
    const at = typeof value === 'string' ? Date.parse(plainDate(value)) : Number.NaN
    return spans.some(({ from, to }) => at >= from && at <= to)
  }
}

/** A reader that refuses what the filter does not let through. */
export const filteredReader = (reader: DocumentReader, { refusal }: Allowed): DocumentReader => ({
  ...reader,
  // They know nothing of the filter.
  rules: undefined,
  read: document => {
    const read = reader.read(document)
    if ('message' in read) return read
    // What can be read is an object.
    const message = refusal(document as Record<string, unknown>)
    return message === undefined ? read : { message }
  },
})
