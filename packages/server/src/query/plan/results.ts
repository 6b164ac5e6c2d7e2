/**
 * Replies as JSON text (query-service.md, Replies). Documents come from the engine as ready JSON and are put in as they are: they are
 * read only where a request asks for something else than the whole of them.
 */
import type { Entity, Statistics } from '@querent/contract/query'
import { writeFilterValue } from '@querent/contract/tuple-list'
import type { FacetOption, Hit, Reply } from '#engines/engine'
import type { PageItem } from '#query/formats/page'
import type { QueryOptions } from '#query/options'
import type { PlannedFacet } from './compile.ts'

/** Class of an item that stands for a class of things. */
const classOfClasses = 'http://www.w3.org/2000/01/rdf-schema#Class'

const keptAttributes = (entity: Entity, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    names.filter(name => Object.hasOwn(entity.attributes, name)).map(name => [name, entity.attributes[name]]),
  )

/** The engine gives back what `documents/entity.ts` wrote. */
const parseEntity = (text: string): Entity => JSON.parse(text) as Entity

const entityText = (text: string, { attributes }: QueryOptions): string => {
  if (attributes === undefined) return text
  const entity = parseEntity(text)
  return JSON.stringify({ ...entity, attributes: keptAttributes(entity, attributes) })
}

/** An entity with its attributes at the top level; `id` and `class` are the entity's own. */
const plainText = (text: string, { attributes }: Pick<QueryOptions, 'attributes'>): string => {
  const entity = parseEntity(text)
  const { id, class: classes } = entity
  const shown = attributes === undefined ? entity.attributes : keptAttributes(entity, attributes)
  // First and last: they stand first in the text, and no attribute of the same name takes their place. Without a prototype
  // `__proto__` is a name like others.
  const plain: object = Object.create(null)
  return JSON.stringify(Object.assign(plain, { id, class: classes }, shown, { id, class: classes }))
}

/** An option of a facet as an item of a result. */
const optionText = ({ value, count }: FacetOption): string =>
  JSON.stringify({
    id: writeFilterValue(value),
    class: [classOfClasses],
    attributes: { title: value, count },
  })

interface ItemParts {
  probability: number
  object: string
  highlights: Hit['highlights'] | undefined
}

const itemsText = (
  items: readonly ItemParts[],
  { offset, count }: QueryOptions,
  homogeneousArrays: boolean,
): string => {
  const [open, close] = homogeneousArrays ? ['{"1":', '}'] : ['[', ']']
  let text = `{"offset":${offset},"count":${count},"type":["OBJ"],"items":[`
  items.forEach(({ probability, object, highlights }, index) => {
    text += `${index === 0 ? '' : ','}{"rank":${offset + index + 1},"probability":${probability},"tuple":${open}${object}${close}${highlights ? `,"highlights":${JSON.stringify(highlights)}` : ''}}`
  })
  return `${text}]}`
}

/** Above 0, also where the score of a stack is too small for a number. */
const probability = (score: number, best: number): number =>
  best > 0 ? Math.max(score / best, Number.MIN_VALUE) : 1

type ObjectText = (entity: string, options: QueryOptions) => string

/** Only those of the attributes that are asked for. */
const shownHighlights = ({ highlights }: Hit, { attributes }: QueryOptions): Hit['highlights'] =>
  highlights && attributes
    ? Object.fromEntries(Object.entries(highlights).filter(([name]) => attributes.includes(name)))
    : highlights

/** Of a stack that ends in a facet, its options are the items. */
const itemsOf = ({ hits, best, facet }: Reply, options: QueryOptions, objectText: ObjectText): ItemParts[] =>
  facet
    ? facet.options.map(option => ({
        probability: probability(option.count, facet.largest),
        object: objectText(optionText(option), options),
        highlights: options.highlight ? {} : undefined,
      }))
    : hits.map(hit => ({
        probability: probability(hit.score, best),
        object: objectText(hit.entity, options),
        highlights: shownHighlights(hit, options),
      }))

/** `results` */
export const resultsText = (reply: Reply, options: QueryOptions): string =>
  itemsText(itemsOf(reply, options, entityText), options, options.homogeneousArrays)

/** The items of `results` as values, for formats other than JSON. */
export const pageItems = (reply: Reply, options: QueryOptions): PageItem[] =>
  itemsOf(reply, options, text => text).map(({ probability, object, highlights }, index) => ({
    rank: options.offset + index + 1,
    probability,
    entity: parseEntity(object),
    highlights: highlights ?? {},
  }))

/** `resultpage`: plain entity objects in the tuples. */
export const resultPageText = (reply: Reply, options: QueryOptions): string =>
  itemsText(itemsOf(reply, options, plainText), options, false)

/** `resultitem`: one plain entity object; undefined where the rank does not exist. */
export const resultItemText = ({ hits, facet }: Reply): string | undefined => {
  const object = facet ? facet.options.slice(0, 1).map(optionText)[0] : hits[0]?.entity
  return object === undefined ? undefined : plainText(object, { attributes: undefined })
}

/** Number of results: documents, or the different options where the stack ends in a facet. */
const total = ({ total, facet }: Reply): number => (facet ? facet.distinct : total)

export const countText = (reply: Reply): string => `{"total":${total(reply)}}`

export const statisticsOf = (reply: Reply): Statistics => {
  const numbers = (reply.facet ? reply.facet.statistics : reply.statistics) ?? []
  const stats = numbers.map((numResults, index) => ({ cutoff: ((9 - index) / 10).toFixed(1), numResults }))
  return { total: total(reply), stats }
}

/** `options` of a facet: `score` is count over the number of results; `id` is what the facet's filter takes for it. */
export const optionsText = ({ total, facet }: Reply, planned: PlannedFacet): string => {
  const option = ({ value, count }: FacetOption) => ({
    id: writeFilterValue(value),
    score: total > 0 ? count / total : 0,
    value,
    title: value,
    count,
  })
  return JSON.stringify({
    id: planned.name,
    title: planned.title,
    selected: selectedOnce(readSelected(facet?.selected ?? [], planned)).map(option),
    options: facet?.options.map(option) ?? [],
  })
}

/**
 * The options that a request selects; `selected` has one for each of `selectedValues`. The readings of an unquoted tuple that no
 * document has are left out: its whole text if there is none of it, and its parts if there is only the whole.
 */
const readSelected = (
  selected: readonly FacetOption[],
  { selectedValues, unquotedTuples, certainValues }: PlannedFacet,
): readonly FacetOption[] => {
  if (unquotedTuples.length === 0) return selected
  const counts = new Map(selectedValues.map((value, index) => [value, selected[index]?.count ?? 0]))
  const exists = (value: string) => (counts.get(value) ?? 0) > 0
  const meant = new Set(certainValues)
  for (const { parts, joined } of unquotedTuples) {
    if (exists(joined)) meant.add(joined)
    if (!exists(joined) || parts.some(exists)) for (const part of parts) meant.add(part)
  }
  return selected.filter((_, index) => meant.has(selectedValues[index] ?? ''))
}

/** A day and a moment of it may be the same option. */
const selectedOnce = (selected: readonly FacetOption[]): FacetOption[] => [
  ...new Map(selected.map(option => [option.value, option])).values(),
]
