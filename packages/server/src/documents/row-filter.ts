/**
 * Limits the writes of a member with a row filter to documents that match it, and that replace no hidden
 * document. So members cannot create or overwrite documents that they cannot see.
 */
import type { RowFilter } from '@querent/contract/manage'
import { listedValues, readCondition, type TypedCondition } from '@querent/contract/read-condition'
import type { Collection, Field, FieldType } from '@querent/contract/workspace-file'
import { valueFunctions } from '@querent/engine'
import { type EffectiveFilter, writeSecond } from '#authz/effective-filter'
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
  { fields = {}, readers }: Collection,
): WriteFilter => {
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
    return first !== undefined && failed.length === 1 && first.texts
      ? `your row filter lets you put only documents whose "${first.field}" is ${first.texts.slice(0, 20).join(' or ')}`
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

/** Returns a test whether a document names the caller or everyone. */
const readersMatcher = (
  names: readonly string[],
  { field, everyone }: NonNullable<Collection['readers']>,
): ((attributes: Readonly<Record<string, unknown>>) => boolean) => {
  const matching = new Set<unknown>(everyone === undefined ? names : [everyone, ...names])
  // Numbers and booleans are indexed as their JSON text.
  return attributes =>
    readValues(attributes, field).some(
      value => value !== null && value !== undefined && matching.has(String(value)),
    )
}

interface FieldCondition {
  field: string
  /** The values that the field may have, for messages. */
  texts: string[] | undefined
  fits: (values: readonly unknown[]) => boolean
}

const compileFilter = (
  filter: RowFilter,
  fields: Readonly<Record<string, Field>>,
  now: string,
): FieldCondition[] =>
  Object.entries(filter).map(([field, condition]) => {
    const type = Object.hasOwn(fields, field) ? fields[field]?.type : undefined
    const typed = readCondition(type, condition, now)
    return {
      field,
      texts: listedValues(condition)?.map(String),
      fits: typed && type !== undefined ? matcher(type, typed) : () => false,
    }
  })

const readValues = (attributes: Readonly<Record<string, unknown>>, field: string): readonly unknown[] => {
  const value = Object.hasOwn(attributes, field) ? attributes[field] : undefined
  return Array.isArray(value) ? value : [value]
}

/** Returns a test for the values of a document. A value of a date without time is the whole day, in UTC. */
const matcher = (type: FieldType, condition: TypedCondition): FieldCondition['fits'] => {
  if (condition.kind === 'not') {
    const fits = matcher(type, condition.condition)
    return values => !fits(values)
  }
  if (type === 'date') return dateMatcher(condition)
  if (condition.kind === 'values')
    return values => values.some(value => condition.values.some(one => one === value))
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = condition
  return values =>
    values.some(value => typeof value === 'number' && value >= Number(from) && value <= Number(to))
}

const dateMatcher = (condition: Exclude<TypedCondition, { kind: 'not' }>): FieldCondition['fits'] => {
  const spans =
    condition.kind === 'values'
      ? condition.values.map(value => readMoments(value))
      : [
          {
            from: condition.from === undefined ? undefined : readMoments(condition.from)?.from,
            to: condition.to === undefined ? undefined : readMoments(condition.to)?.to,
          },
        ]
  return values =>
    values.some(value => {
      const moments = readMoments(value)
      return (
        moments !== undefined &&
        spans.some(
          span =>
            span !== undefined &&
            (span.from === undefined || moments.from >= span.from) &&
            (span.to === undefined || moments.from <= span.to),
        )
      )
    })
}

/** Microseconds since 1970, as the engines compare dates. */
const readMoments = (value: unknown): { from: bigint; to: bigint } | undefined =>
  typeof value === 'string' ? (valueFunctions().parseDate(value) ?? undefined) : undefined

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
