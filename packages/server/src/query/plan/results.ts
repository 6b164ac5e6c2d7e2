/**
 * Writes replies as JSON text (query-service.md, Replies). Documents come from the engine as JSON text. They are parsed only if a request
 * selects a part of them.
 */

import { parseExactJson, readRawNumber } from '@querent/contract/exact-json'
import type { Entity, Statistics } from '@querent/contract/query'
import { readPath } from '@querent/contract/read-path'
import { writeFilterValue } from '@querent/contract/tuple-list'
import { parseEntity as parseStored } from '#collections/stored-entity'
import { withoutMadeValues } from '#embedding/entity-vectors'
import type { Hit, Reply } from '#engines/engine'
import type { FacetOption } from '#engines/facet'
import type { PageItem } from '#query/formats/page'
import type { QueryOptions } from '#query/options'
import { isFacetOption } from './facet-list.ts'
import type { PartRanks } from './part-ranks.ts'
import type { PlannedFacet } from './planned-facet.ts'
import type { FacetColumn } from './step.ts'

/** Class of an item that represents a class of things. */
const classOfClasses = 'http://www.w3.org/2000/01/rdf-schema#Class'

/** A name may be a path into nested objects. */
const pickAttributes = (
  { attributes }: Pick<Entity, 'attributes'>,
  names: readonly string[],
): Record<string, unknown> =>
  Object.fromEntries(
    names.flatMap(name => {
      const value = readPath(attributes, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** The engine returns the text that `documents/entity.ts` wrote. */
const parseEntity = (text: string): Entity => parseExactJson(text) as Entity

const entityText = (text: string, { attributes }: QueryOptions): string => {
  if (attributes === undefined) return withoutMadeValues(text)
  const { embedded: _, indexed: __, ...entity } = parseStored(text)
  return JSON.stringify({ ...entity, attributes: pickAttributes(entity, attributes) })
}

/** Writes an entity with its attributes at the top level. `id` and `class` are always the entity's own. */
const plainText = (text: string, { attributes }: Pick<QueryOptions, 'attributes'>): string => {
  const entity = parseEntity(attributes === undefined ? withoutMadeValues(text) : text)
  const { id, class: classes } = entity
  const selected = attributes === undefined ? entity.attributes : pickAttributes(entity, attributes)
  // Assign id and class twice: the first time makes them the first keys, the second overwrites attributes of the same names. Without a
  // prototype, `__proto__` is an ordinary name.
  const plain: object = Object.create(null)
  return JSON.stringify(Object.assign(plain, { id, class: classes }, selected, { id, class: classes }))
}

/** Writes an option of a facet as an item of a result. */
const optionText = (option: FacetOption): string => {
  const { value, count } = option
  return JSON.stringify({
    id: writeFilterValue(value),
    class: [classOfClasses],
    attributes: isFacetOption(option)
      ? { title: option.title, count, options: option.options }
      : { title: value, count },
  })
}

/** The options of a page. If a cursor is given, `offset` is the number of items before the page. */
export interface PageOptions extends QueryOptions {
  /** The cursor of the next page, null after the last page. Undefined if no cursor is given. */
  next?: string | null
  /** For a query with text that finds nothing: a text that finds something, or null. */
  didYouMean?: string | null
  /** Endpoints of a mix whose embedder failed. */
  degraded?: string[]
  /** The columns of a facet that has several. */
  columns?: readonly FacetColumn[]
  /** With `parts`: the ranks of each hit in the parts of the mix. */
  partRanks?: readonly PartRanks[]
}

interface ItemParts {
  probability: number
  object: string
  highlights: Hit['highlights'] | undefined
  partRanks?: PartRanks | undefined
  /** The count of an option, if it is a column. */
  number?: number | undefined
  collapsed?: Hit['collapsed'] | undefined
}

/** The text of a reply in parts. No part has more than one document, so that other work can run between two of them. */
export type TextParts = Generator<string, void>

function* itemsParts(
  { relaxed = [] }: Reply,
  items: Iterable<ItemParts>,
  { offset, count, next, didYouMean, degraded, columns = ['OBJ'] }: PageOptions,
  homogeneousArrays: boolean,
): TextParts {
  const [open, comma, close] = homogeneousArrays ? ['{"1":', ',"2":', '}'] : ['[', ',', ']']
  yield `{"offset":${offset},"count":${count},"type":${JSON.stringify(columns)},"items":[`
  let index = 0
  for (const { probability, object: firstColumn, highlights, partRanks, number, collapsed } of items) {
    const object = number === undefined ? firstColumn : `${firstColumn}${comma}${number}`
    yield `${index === 0 ? '' : ','}{"rank":${offset + index + 1},"probability":${probability},"tuple":${open}${object}${close}${highlights ? `,"highlights":${JSON.stringify(highlights)}` : ''}${partRanks ? `,"parts":${JSON.stringify(partRanks)}` : ''}${collapsed ? collapsedText(collapsed) : ''}}`
    index += 1
  }
  let text = ']'
  if (relaxed.length > 0) text += `,"relaxed":${JSON.stringify(relaxed)}`
  if (didYouMean !== undefined) text += `,"didYouMean":${JSON.stringify(didYouMean)}`
  if (degraded) text += `,"degraded":${JSON.stringify(degraded)}`
  if (next !== undefined) text += `,"next":${JSON.stringify(next)}`
  yield `${text}}`
}

/** A number with more digits than JavaScript keeps becomes its digits. */
const plainValue = (value: NonNullable<Hit['collapsed']>['value']): string | number | null =>
  typeof value === 'object' ? (readRawNumber(value) ?? null) : value

const collapsedText = ({ value, count, others }: NonNullable<ItemParts['collapsed']>): string =>
  `,"collapsed":{"value":${JSON.stringify(value)},"count":${count},"others":[${others.join()}]}`

/** Always above 0, even if the score is too small for a number. */
const probability = (score: number, best: number): number =>
  best > 0 ? Math.max(score / best, Number.MIN_VALUE) : 1

type ObjectText = (entity: string, options: QueryOptions) => string

/** Keeps only the highlights of the requested attributes. */
const pickHighlights = ({ highlights }: Hit, { attributes }: QueryOptions): Hit['highlights'] =>
  highlights && attributes
    ? Object.fromEntries(Object.entries(highlights).filter(([name]) => attributes.includes(name)))
    : highlights

/** If the stack ends in a facet, its options are the items. */
function* makeItems(
  { hits, best, facet }: Reply,
  options: PageOptions,
  objectText: ObjectText,
): Generator<ItemParts, void> {
  if (facet)
    for (const option of facet.options)
      yield {
        probability: probability(option.count, facet.largest),
        object: objectText(optionText(option), options),
        highlights: options.highlight ? {} : undefined,
        number: options.columns?.includes('DOUBLE') ? option.count : undefined,
      }
  else
    for (const [index, hit] of hits.entries())
      yield {
        probability: probability(hit.score, best),
        object: objectText(hit.entity, options),
        highlights: pickHighlights(hit, options),
        partRanks: options.partRanks?.[index],
        collapsed: hit.collapsed && {
          ...hit.collapsed,
          others: hit.collapsed.others.map(entity => objectText(entity, options)),
        },
      }
}

/** The reply of `results`. */
export const resultsParts = (reply: Reply, options: PageOptions): TextParts =>
  itemsParts(reply, makeItems(reply, options, entityText), options, options.homogeneousArrays)

/** The reply of `results,count`. */
export function* resultsWithCountParts(reply: Reply, options: PageOptions): TextParts {
  yield '['
  yield* resultsParts(reply, options)
  yield `,${JSON.stringify(makeStatistics(reply))}]`
}

const withoutUnrequested: ObjectText = (text, { attributes }) =>
  attributes === undefined ? withoutMadeValues(text) : text

const selectAttributes = (entity: Entity, names: readonly string[] | undefined): Entity =>
  names === undefined ? entity : { ...entity, attributes: pickAttributes(entity, names) }

/** The items of `results` as values, for formats other than JSON. */
export const pageItems = (reply: Reply, options: QueryOptions): PageItem[] =>
  Array.from(
    makeItems(reply, options, withoutUnrequested),
    ({ probability, object, highlights, collapsed }, index): PageItem => ({
      rank: options.offset + index + 1,
      probability,
      entity: selectAttributes(parseEntity(object), options.attributes),
      highlights: highlights ?? {},
      ...(collapsed && { collapsed: { value: plainValue(collapsed.value), count: collapsed.count } }),
    }),
  )

/** The reply of `resultpage`: tuples contain plain entity objects. */
export const resultPageParts = (reply: Reply, options: PageOptions): TextParts =>
  itemsParts(reply, makeItems(reply, options, plainText), options, false)

/** The reply of `resultitem`: one plain entity object. Undefined if the rank does not exist. */
export const resultItemText = ({ hits, facet }: Reply): string | undefined => {
  const object = facet ? facet.options.slice(0, 1).map(optionText)[0] : hits[0]?.entity
  return object === undefined ? undefined : plainText(object, { attributes: undefined })
}

/** Number of results: documents, or distinct options if the stack ends in a facet. */
const total = ({ total, facet }: Reply): number => (facet ? facet.distinct : total)

export const countText = (reply: Reply, { degraded }: Pick<PageOptions, 'degraded'> = {}): string =>
  JSON.stringify({ total: total(reply), ...(degraded && { degraded }) })

export const makeStatistics = (
  reply: Reply,
  { degraded }: Pick<PageOptions, 'degraded'> = {},
): Statistics => {
  const numbers = (reply.facet ? reply.facet.statistics : reply.statistics) ?? []
  const stats = numbers.map((numResults, index) => ({ cutoff: ((9 - index) / 10).toFixed(1), numResults }))
  return { total: total(reply), stats, ...(degraded && { degraded }) }
}

/** The reply of `options`. `score` is the count divided by the number of results. `id` is the value for the facet's filter. */
export function* optionsParts(
  { total, facet }: Reply,
  planned: PlannedFacet,
  degraded?: readonly string[],
): TextParts {
  const option = (counted: FacetOption) => {
    const { value, count } = counted
    return {
      id: writeFilterValue(value),
      score: total > 0 ? count / total : 0,
      value,
      title: isFacetOption(counted) ? counted.title : value,
      count,
      ...(isFacetOption(counted) && { options: counted.options }),
    }
  }
  const selected = uniqueOptions(readSelected(facet?.selected ?? [], planned)).map(option)
  yield `{"id":${JSON.stringify(planned.name)},"title":${JSON.stringify(planned.title)},"selected":${JSON.stringify(selected)},"options":[`
  for (const [index, value] of (facet?.options ?? []).entries())
    yield `${index === 0 ? '' : ','}${JSON.stringify(option(value))}`
  const statistics = facet?.summary ? `,"statistics":${JSON.stringify(facet.summary)}` : ''
  yield degraded ? `]${statistics},"degraded":${JSON.stringify(degraded)}}` : `]${statistics}}`
}

/**
 * Returns the options that a request selects. `selected` has one for each of `selectedValues`. A tuple with commas or quotes can be read as its whole
 * text or as its parts. The whole text is left out if no document has it, and the parts if documents have only the whole.
 */
const readSelected = (
  selected: readonly FacetOption[],
  { selectedValues, ambiguousTuples, certainValues }: PlannedFacet,
): readonly FacetOption[] => {
  if (ambiguousTuples.length === 0) return selected
  const counts = new Map(selectedValues.map((value, index) => [value, selected[index]?.count ?? 0]))
  const exists = (value: string) => (counts.get(value) ?? 0) > 0
  const selectedTexts = new Set(certainValues)
  for (const { parts, wholeText } of ambiguousTuples) {
    if (exists(wholeText)) selectedTexts.add(wholeText)
    if (!exists(wholeText) || parts.some(exists)) for (const part of parts) selectedTexts.add(part)
  }
  return selected.filter((_, index) => selectedTexts.has(selectedValues[index] ?? ''))
}

/** Removes duplicates: a day and a moment of that day may be the same option. */
const uniqueOptions = (selected: readonly FacetOption[]): FacetOption[] => [
  ...new Map(selected.map(option => [option.value, option])).values(),
]
