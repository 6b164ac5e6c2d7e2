/** Results as text for models and people. Each value is one line, so that a document cannot imitate other results. */
import type { ToolResults } from './tool-results.ts'

/** Characters of a title or snippet. */
const charsMax = 400
const snippetsMax = 3

const toLine = (text: string): string => {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  return line.length > charsMax ? `${line.slice(0, charsMax)}…` : line
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

export const writeReadableText = ({
  total,
  offset,
  items,
  facets = {},
  didYouMean,
  relaxed,
  degraded,
}: ToolResults): string => {
  const lines = [
    items.length === 0 ? `${total} results.` : `${total} results, ${offset + 1} to ${offset + items.length}:`,
  ]
  for (const { rank, title, id, highlights = {} } of items) {
    lines.push(`${rank}. ${toLine(title)}`, `   id: ${toLine(id)}`)
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
