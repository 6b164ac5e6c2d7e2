/**
 * Limits the writes of a member with a row filter to documents that match it, and that replace no hidden
 * document. So members cannot create or overwrite documents that they cannot see.
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
import { indexedAttributes, parseEntity } from '#collections/stored-entity'
import type { Engine, EngineDocument } from '#engines/engine'
import type { DocumentReader } from './entity.ts'

/** Documents checked at a time. */
const pageDocuments = 1000

export interface WriteFilter {
  /** Why a document may not be put; undefined if it may. */
  refusal: (attributes: Readonly<Record<string, unknown>>) => string | undefined
  /** Whether the filter hides a stored document. */
  isHidden: (entity: string | undefined) => boolean
  /** Returns the indexes of documents whose id belongs to a hidden document of that generation. */
  findHidden: (
    engine: Engine,
    generationId: string,
    documents: readonly Pick<EngineDocument, 'id'>[],
  ) => Promise<Set<number>>
  /** Whether any document of `source` would replace a hidden document of `target`. */
  hidesAny: (engine: Engine, source: string, target: string) => Promise<boolean>
}

export const hiddenMessage = 'another document has this id, and your row filter hides it'

/** Fails closed, as queries do: a condition on a field that cannot be filtered matches nothing. */
export const createWriteFilter = (filter: RowFilter, { fields = {} }: Collection): WriteFilter => {
  const conditions = Object.entries(filter).map(([field, allowed]) => {
    const type = Object.hasOwn(fields, field) ? fields[field]?.type : undefined
    const texts = (Array.isArray(allowed) ? allowed : [allowed]).map(String)
    return { field, texts, fits: type && isFilterable(type) ? matcher(type, texts) : () => false }
  })
  const refusal: WriteFilter['refusal'] = attributes => {
    const failed = conditions.find(({ field, fits }) => {
      const value = Object.hasOwn(attributes, field) ? attributes[field] : undefined
      return !(Array.isArray(value) ? value : [value]).some(fits)
    })
    return (
      failed &&
      `your row filter lets you put only documents whose "${failed.field}" is ${failed.texts.slice(0, 20).join(' or ')}`
    )
  }
  const isHidden: WriteFilter['isHidden'] = entity => {
    if (entity === undefined) return false
    return refusal(indexedAttributes(parseEntity(entity))) !== undefined
  }
  const findHidden: WriteFilter['findHidden'] = async (engine, generationId, documents) => {
    const hiddenIndexes = new Set<number>()
    for (const [index, { id }] of documents.entries())
      if (isHidden(await engine.get(generationId, id))) hiddenIndexes.add(index)
    return hiddenIndexes
  }
  const hidesAny: WriteFilter['hidesAny'] = async (engine, source, target) => {
    let page: EngineDocument[]
    let afterId: string | undefined
    do {
      page = await engine.list(source, afterId, pageDocuments)
      afterId = page.at(-1)?.id
      if ((await findHidden(engine, target, page)).size > 0) return true
    } while (page.length === pageDocuments)
    return false
  }
  return { refusal, isHidden, findHidden, hidesAny }
}

const dayMs = 24 * 60 * 60 * 1000

/** Returns a test for values equal to one of `texts`. A date without time matches the whole day, in UTC. */
const matcher = (type: FilterableType, texts: readonly string[]): ((value: unknown) => boolean) => {
  const values = texts.map(text => readFieldValue(type, text)).filter(value => value !== undefined)
  if (type !== 'date') return value => values.some(one => one === value)
  const spans = values.map(String).map(date => {
    const start = Date.parse(date)
    return { from: start, end: isWholeDay(date) ? start + dayMs - 1 : start }
  })
  return value => {
    const time = typeof value === 'string' ? Date.parse(plainDate(value)) : Number.NaN
    return spans.some(({ from: start, end }) => time >= start && time <= end)
  }
}

/** A reader that rejects documents outside of the filter. */
export const filteredReader = (reader: DocumentReader, { refusal }: WriteFilter): DocumentReader => ({
  ...reader,
  // The engine's rules don't know the filter.
  rules: undefined,
  read: (document, place) => {
    const read = reader.read(document, place)
    if ('message' in read) return read
    const message = refusal(indexedAttributes(parseEntity(read.entity)))
    return message === undefined ? read : { message }
  },
})
