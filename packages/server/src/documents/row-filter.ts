/**
 * Limits the writes of a member with a row filter to documents that match it, and that replace no hidden
 * document. So members cannot create or overwrite documents that they cannot see.
 */
import { listedValues } from '@querent/contract/listed-values'
import { expandFields } from '@querent/contract/object-fields'
import type { Collection } from '@querent/contract/workspace-file'
import { type EffectiveFilter, writeSecond } from '#authz/effective-filter'
import { compileFilter, readersMatcher, readValues } from '#collections/document-matcher'
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

/** Decides as queries do: a document must match one of the filters, and a condition that the field cannot answer matches nothing. */
export const createWriteFilter = (
  { alternatives, dependsOnTime, readers: names }: EffectiveFilter,
  { fields: declaredFields, readers }: Collection,
): WriteFilter => {
  const fields = expandFields(declaredFields)
  const isNamed = names && readers ? readersMatcher(names, readers) : undefined
  const compile = (now: string) => alternatives.map(filter => compileFilter(filter, fields, now))
  const fixed = dependsOnTime ? undefined : compile('')
  const refusal: WriteFilter['refusal'] = attributes => {
    if (isNamed?.(attributes) === false) return 'you may put only documents whose readers include you'
    const filters = fixed ?? compile(writeSecond(Date.now()))
    const failed = filters.map(conditions =>
      conditions.find(({ field, fits }) => !fits(readValues(attributes, field))),
    )
    if (failed.includes(undefined)) return undefined
    const [first] = failed
    const texts = first && listedValues(first.condition)?.map(String)
    return first !== undefined && failed.length === 1 && texts
      ? `your row filter lets you put only documents whose "${first.field}" is ${texts.slice(0, 20).join(' or ')}`
      : 'your row filter lets you put only documents that you see'
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

/** A reader that rejects documents outside of the filter. */
export const filteredReader = (reader: DocumentReader, { refusal }: WriteFilter): DocumentReader => ({
  ...reader,
  // The engine's rules don't know the filter.
  rules: undefined,
  read: (document, place) => {
    const read = reader.read(document, place)
    if ('message' in read) return read
    const message = refusal(indexedAttributes(parseEntity(read.entity)))
    return message === undefined ? read : { message, isRefused: true }
  },
})
