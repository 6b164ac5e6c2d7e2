/** Snippets of Querent as the highlights that the widgets show. */
import type { Highlights } from '@querent/client'

export interface Tags {
  pre: string
  post: string
}

interface HighlightedValue {
  value: string
  matchLevel: 'none' | 'full'
  matchedWords: string[]
}
export type HighlightedAttributes = Record<string, HighlightedValue | HighlightedValue[]>

/** Tags that the widgets replace by elements after they have escaped the text. */
const placeholderTag = /^__/

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
}
const unescapeHtml = (html: string): string =>
  html.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, entity => entities[entity] ?? entity)
const escapeHtml = (text: string): string =>
  text.replaceAll(/[<>"'&]/g, character => `&#${character.charCodeAt(0)};`)

/** Text parts, of which every second one is a match. */
type Parts = string[]
const splitMarks = (html: string): Parts => html.split(/<\/?mark>/).map(unescapeHtml)

/**
 * Joins parts with the tags of the request. With the placeholders of InstantSearch, which escapes the text itself, the text stays as it is. With
 * other tags, it is escaped here, so that a document can't bring its own elements into the page.
 */
const joinParts = (parts: Parts, { pre, post }: Tags): string => {
  const write = placeholderTag.test(pre) ? (text: string) => text : escapeHtml
  return parts.map((part, index) => (index % 2 === 1 ? pre + write(part) + post : write(part))).join('')
}

const toValue = (parts: Parts, tags: Tags): HighlightedValue => ({
  value: joinParts(parts, tags),
  matchLevel: parts.length > 1 ? 'full' : 'none',
  matchedWords: parts.filter((_, index) => index % 2 === 1),
})

/** Puts the marked snippets of a text into the whole text. */
const markWhole = (text: string, snippets: readonly Parts[]): Parts => {
  let rest = text
  const parts: Parts = ['']
  const append = (plain: string) => {
    parts[parts.length - 1] += plain
  }
  for (const snippet of snippets) {
    const index = rest.indexOf(snippet.join(''))
    if (index < 0) continue
    append(rest.slice(0, index))
    append(snippet[0] ?? '')
    parts.push(...snippet.slice(1))
    rest = rest.slice(index + snippet.join('').length)
  }
  append(rest)
  return parts
}

/** Returns the whole value of each attribute with its matches (`_highlightResult`). */
export const highlightAttributes = (
  attributes: Readonly<Record<string, unknown>>,
  highlights: Highlights,
  tags: Tags,
): HighlightedAttributes => {
  const result: HighlightedAttributes = {}
  for (const [name, value] of Object.entries(attributes)) {
    const snippets = (highlights[name] ?? []).map(splitMarks)
    const write = (text: unknown) => toValue(markWhole(String(text), snippets), tags)
    if (Array.isArray(value)) result[name] = value.map(write)
    else if (typeof value !== 'object') result[name] = write(value)
  }
  return result
}

/** Returns the snippets of each attribute, or its first characters (`_snippetResult`). */
export const snippetAttributes = (
  attributes: Readonly<Record<string, unknown>>,
  highlights: Highlights,
  tags: Tags,
): HighlightedAttributes => {
  const result: HighlightedAttributes = {}
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'object' && !Array.isArray(value)) continue
    const [first] = highlights[name] ?? []
    const text = [value].flat().join(', ')
    result[name] = toValue(first === undefined ? [text.slice(0, snippetCharacters)] : splitMarks(first), tags)
  }
  return result
}
const snippetCharacters = 160

/** Marks the words of a facet value that start with a word of the text. */
export const highlightFacetValue = (value: string, text: string, tags: Tags): string => {
  const words = text.split(/\s+/).filter(word => word !== '')
  const pattern = words.map(word => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
  if (pattern === '') return joinParts([value], tags)
  const parts = value.split(new RegExp(`(?<![\\p{L}\\p{N}])(${pattern})`, 'iu'))
  return joinParts(parts, tags)
}
