/** Values of a result with what was found in them marked, also in parts of objects and in fields that a copy searches. */
import type { Highlights } from '@querent/contract/query'
import { Fragment, type ReactNode } from 'react'
import { hasValue } from '#ui/choose-fields.ts'
import { describeValue } from '#ui/describe-value.ts'
import { readableText } from '#ui/readable-text.ts'
import { Snippet, toPlainText } from './snippet.tsx'

type Parts = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is Parts =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A place is an object that is shown as one value. */
const hasParts = (value: unknown): value is Parts => isRecord(value) && describeValue(value).startsWith('{')

/** Returns whether something was found in parts of the field. */
export const hasInnerMatch = (name: string, highlights: Highlights): boolean =>
  Object.keys(highlights).some(path => path.startsWith(`${name}.`))

/**
 * Returns the snippet for a text: that of its path which has the whole text, or one of a field of another name. A field that copies
 * keywords to search them, such as `Brand-text`, is no attribute of the document.
 */
const findSnippet = (text: string, path: string, highlights: Highlights): string | undefined => {
  const ownSnippets = highlights[path]
  const copySnippets = Object.entries(highlights).flatMap(([name, snippets]) =>
    name !== path && name.startsWith(path) && !name.startsWith(`${path}.`) ? snippets : [],
  )
  return [...(ownSnippets ?? []), ...copySnippets].find(snippet => {
    const plain = toPlainText(snippet)
    return plain === text || (ownSnippets?.includes(snippet) === true && text.includes(plain))
  })
}

interface MarkedValueProps {
  value: unknown
  /** Name of its field, with the names of the parts behind it. */
  path: string
  highlights: Highlights
}

export const MarkedValue = ({ value, path, highlights }: MarkedValueProps): ReactNode => {
  if (Array.isArray(value))
    return value.map((each, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the values of one field, in their order
      <Fragment key={index}>
        {index > 0 && ', '}
        <MarkedValue value={each} path={path} highlights={highlights} />
      </Fragment>
    ))
  if (hasParts(value))
    return Object.entries(value)
      .filter(([, part]) => hasValue(part))
      .map(([name, part], index) => (
        <Fragment key={name}>
          {index > 0 && '; '}
          {name}: <MarkedValue value={part} path={`${path}.${name}`} highlights={highlights} />
        </Fragment>
      ))
  const snippet = typeof value === 'string' ? findSnippet(value, path, highlights) : undefined
  return snippet === undefined ? readableText(value) : <Snippet html={snippet} />
}
