/** Finds what was found in the values of a result, also in fields that a copy searches. */
import type { Highlights } from '@querent/contract/query'

/** Returns whether something was found in the field, in its parts, or in a field that copies it. */
export const hasMatch = (name: string, value: unknown, highlights: Highlights): boolean =>
  highlights[name] !== undefined ||
  Object.keys(highlights).some(path => path.startsWith(`${name}.`)) ||
  [value].flat().some(each => typeof each === 'string' && findSnippet(each, name, highlights) !== undefined)

/**
 * Returns the snippet for a text: that of its path which has the whole text, or one of a field of another name. A field that copies
 * keywords to search them, such as `Brand-text`, is no attribute of the document.
 */
export const findSnippet = (text: string, path: string, highlights: Highlights): string | undefined => {
  const ownSnippets = highlights[path]
  const copySnippets = Object.entries(highlights).flatMap(([name, snippets]) =>
    name !== path && name.startsWith(path) && !name.startsWith(`${path}.`) ? snippets : [],
  )
  return [...(ownSnippets ?? []), ...copySnippets].find(snippet => {
    const plain = toPlainText(snippet)
    return plain === text || (ownSnippets?.includes(snippet) === true && text.includes(plain))
  })
}

/** Returns the text of a snippet without its marks. */
export const toPlainText = (html: string): string =>
  new DOMParser().parseFromString(html, 'text/html').body.textContent
