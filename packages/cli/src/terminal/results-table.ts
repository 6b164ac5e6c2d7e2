import type { Entity, Results } from '@querent/contract/query'
import { plain } from './output.ts'
import { lineWidth, table } from './table.ts'

/** Attributes that name a thing, and those that describe it, best first. */
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

/** Results as a table: rank, probability, what names and what describes each one, its id. `total`: of all results. */
export const resultsTable = (results: Results, total: number): string => {
  const entities = results.items.flatMap(({ tuple: [entity] }) => (entity ? [entity] : []))
  if (entities.length === 0)
    return total === 0 ? 'No results.' : `No results at this offset; ${total} in all.`
  const naming = attributeFor(entities, namingAttributes)
  const describing = attributeFor(entities, describingAttributes, naming)
  const texts = [naming, describing].filter(name => name !== undefined)
  const rows = results.items.map(({ rank, probability, tuple: [entity] }) => [
    String(rank),
    probability.toFixed(3),
    ...texts.map(name => shown(entity?.attributes[name])),
    entity?.id ?? '',
  ])
  const columns = [
    { title: 'rank', right: true as const },
    { title: 'prob.', right: true as const },
    ...texts.map((title, at) => ({ title, width: widths(entities, texts.length)[at] ?? 20 })),
    { title: 'id' },
  ]
  const last = results.offset + entities.length
  const range = `${(results.offset + 1).toLocaleString('en')} to ${last.toLocaleString('en')}`
  return `${table(columns, rows)}\n${range} of ${total.toLocaleString('en')}`
}

/** The first of the well-known names that all results have a text under, else any other such attribute. */
const attributeFor = (entities: Entity[], known: string[], taken?: string): string | undefined => {
  const [first] = entities
  if (first === undefined) return undefined
  const names = Object.keys(first.attributes).filter(
    name => name !== taken && shown(first.attributes[name]) !== '',
  )
  return known.find(name => names.includes(name)) ?? names[0]
}

const shown = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  const text = Array.isArray(value)
    ? value.map(shown).join(', ')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)
  const line = plain(text)
  return line.length > describedCharactersMax ? `${line.slice(0, describedCharactersMax)}…` : line
}

/** What rank, probability, id and borders leave of the line, shared one to two. */
const widths = (entities: Entity[], columns: number): number[] => {
  const id = Math.max(...entities.map(entity => entity.id.length)) + 2
  const left = Math.max(36, lineWidth() - 6 - 7 - id - columns - 4)
  return columns === 1 ? [left] : [Math.floor(left / 3), left - Math.floor(left / 3)]
}
