/** Decides who sees one document, as queries decide in the index. Each different filter is evaluated once. */
import type { RowFilter } from '@querent/contract/manage'
import { expandFields } from '@querent/contract/object-fields'
import type { Collection } from '@querent/contract/workspace-file'
import { type EffectiveFilter, writeSecond } from '#authz/effective-filter'
import { compileFilter, type FieldCondition, matchesAll, readValues } from './document-matcher.ts'
import { indexedAttributes, parseEntity } from './stored-entity.ts'

export type DocumentSight = ReturnType<typeof createDocumentSight>

/** `entity`: the document as the engine stores it. */
export const createDocumentSight = ({ fields, readers }: Collection, entity: string, nowMs = Date.now()) => {
  const attributes = indexedAttributes(parseEntity(entity))
  const expanded = expandFields(fields)
  const now = writeSecond(nowMs)
  const matchesByFilter = new Map<string, boolean>()
  const compile = (filter: RowFilter) => compileFilter(filter, expanded, now)
  const matches = (filter: RowFilter): boolean => {
    const key = JSON.stringify(filter)
    const isMatch = matchesByFilter.get(key) ?? matchesAll(compile(filter), attributes)
    if (matchesByFilter.size < filtersMax) matchesByFilter.set(key, isMatch)
    return isMatch
  }
  const names = readers && new Set(readTexts(attributes, readers.field))
  return {
    /** Whether the document matches the row filter. */
    matches,
    /** Whether the filters and readers of a caller let the document through. */
    isVisible: (filters: readonly EffectiveFilter[]): boolean =>
      filters.every(
        ({ alternatives, readers: callerNames }) =>
          alternatives.some(matches) &&
          (callerNames === undefined || !names || findName(callerNames) !== undefined),
      ),
    /** Each condition of a filter, with the values of the document. */
    explain: (filter: RowFilter): (FieldCondition & { values: string[]; passed: boolean })[] =>
      compile(filter).map(condition => {
        const { field, fits } = condition
        return {
          ...condition,
          values: readTexts(attributes, field),
          passed: fits(readValues(attributes, field)),
        }
      }),
    /** Whether the collection has readers. */
    hasReaders: names !== undefined,
    /** Returns the first of the names, or everyone, that the readers of the document include. */
    findName,
  }

  function findName(callerNames: readonly string[]): string | undefined {
    const everyone = readers?.everyone === undefined ? [] : [readers.everyone]
    return [...callerNames, ...everyone].find(name => names?.has(name))
  }
}

/** Different filters that are remembered. */
const filtersMax = 10_000

const readTexts = (attributes: Readonly<Record<string, unknown>>, field: string): string[] =>
  readValues(attributes, field)
    .filter(value => value !== null && value !== undefined)
    .map(value => (typeof value === 'object' ? JSON.stringify(value) : String(value)))
