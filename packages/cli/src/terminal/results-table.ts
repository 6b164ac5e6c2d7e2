import type { Entity, Results } from '@querent/contract/query'
import { sanitizeLine } from './output.ts'
import { lineWidth, table } from './table.ts'

/** Attributes that name an entity, and those that describe it, best first. */
const namingAttributes = ['words', 'title', 'name', 'label', 'prefLabel', 'heading', 'subject']
const describingAttributes = [
  'definition',
  'description',
  'summary',
  'abstract',
  'text',
  'content',
  'body',
  'count',
]
const describedCharactersMax = 200

/** Formats results as a table: rank, probability, naming attribute, describing attribute, id. `total` counts all results. */
export const resultsTable = (results: Results, total: number): string => {
  const entities = results.items.flatMap(({ tuple: [entity] }) => (entity ? [entity] : []))
  if (entities.length === 0)
    return total === 0 ? 'No results.' : `No results at this offset; ${total} in total.`
  const naming = attributeFor(entities, namingAttributes)
  const describing = attributeFor(entities, describingAttributes, naming)
  const texts = [naming, describing].filter(name => name !== undefined)
  const rows = results.items.map(({ rank, probability, tuple: [entity] }) => [
    String(rank),
    probability.toFixed(3),
    ...texts.map(name => formatValue(entity?.attributes[name])),
    entity?.id ?? '',
  ])
  const columns = [
    { title: 'rank', right: true as const },
    { title: 'prob.', right: true as const },
    ...texts.map((title, index) => ({ title, width: widths(entities, texts.length)[index] ?? 20 })),
    { title: 'id' },
  ]
  const last = results.offset + entities.length
  const range = `${(results.offset + 1).toLocaleString('en')} to ${last.toLocaleString('en')}`
  return `${table(columns, rows)}\n${range} of ${total.toLocaleString('en')}`
}

/** Returns the first preferred attribute with a text in the first result, or else its first other attribute with a text. */
const attributeFor = (entities: Entity[], preferred: string[], excluded?: string): string | undefined => {
  const [first] = entities
  if (first === undefined) return undefined
  const names = Object.keys(first.attributes).filter(
    name => name !== excluded && formatValue(first.attributes[name]) !== '',
  )
  return preferred.find(name => names.includes(name)) ?? names[0]
}

const formatValue = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  const text = Array.isArray(value)
    ? value.map(formatValue).join(', ')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)
  const line = sanitizeLine(text)
  return line.length > describedCharactersMax ? `${line.slice(0, describedCharactersMax)}…` : line
}

/** Splits the width that rank, probability, id and borders leave: one third and two thirds. */
const widths = (entities: Entity[], columns: number): number[] => {
  const id = Math.max(...entities.map(entity => entity.id.length)) + 2
  const available = Math.max(36, lineWidth() - 6 - 7 - id - columns - 4)
  return columns === 1 ? [available] : [Math.floor(available / 3), available - Math.floor(available / 3)]
}
