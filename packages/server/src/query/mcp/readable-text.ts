/** Results as text for models and people. Each value is one line, so that a document cannot imitate other results. */
import type { ToolResults } from './tool-results.ts'

/** Characters of a title or snippet. */
const charsMax = 400
const snippetsMax = 3
/** Characters of an attribute, in results that show attributes. */
const attributeCharsMax = 20_000

const toLine = (text: string, max = charsMax): string => {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  return line.length > max ? `${line.slice(0, max).toWellFormed()}…` : line
}

const writeValue = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(writeValue).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  '#x27': "'",
}

/** Highlights are HTML with `<mark>`; in text, matches are in bold as in Markdown. */
const readHighlight = (html: string): string =>
  html
    .replace(/<\/?mark>/g, '**')
    .replace(/&([a-z]+|#x?[0-9a-f]+);/gi, (entity, name: string) => entities[name.toLowerCase()] ?? entity)

export const writeReadableText = (
  { total, offset, items, facets = {}, didYouMean, relaxed, degraded }: ToolResults,
  { hasAttributes }: { hasAttributes: boolean },
): string => {
  const lines = [
    items.length === 0 ? `${total} results.` : `${total} results, ${offset + 1} to ${offset + items.length}:`,
  ]
  for (const { rank, title, id, attributes, highlights = {} } of items) {
    lines.push(`${rank}. ${toLine(title)}`, `   id: ${toLine(id)}`)
    if (hasAttributes)
      for (const [name, value] of Object.entries(attributes))
        if (value !== title) lines.push(`   ${toLine(name)}: ${toLine(writeValue(value), attributeCharsMax)}`)
    const snippets = Object.entries(highlights).flatMap(([name, parts]) =>
      parts.map(part => ({ name, part })),
    )
    for (const { name, part } of snippets.slice(0, snippetsMax))
      lines.push(`   ${toLine(name)}: ${toLine(readHighlight(part))}`)
  }
  for (const [name, { options }] of Object.entries(facets))
    lines.push(
      `${toLine(name)}: ${options.map(({ value, count }) => `${toLine(value)} (${count})`).join(', ') || 'no values'}`,
    )
  if (didYouMean) lines.push(`Did you mean: ${toLine(didYouMean)}`)
  if (relaxed && relaxed.length > 0) lines.push(`Results need not contain: ${relaxed.map(toLine).join(', ')}`)
  if (degraded && degraded.length > 0) lines.push(`Not available now: ${degraded.map(toLine).join(', ')}`)
  return lines.join('\n')
}
