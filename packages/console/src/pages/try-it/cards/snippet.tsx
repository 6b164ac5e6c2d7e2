import { Mark } from '@mantine/core'
import type { Highlights } from '@querent/contract/query'
import { Fragment } from 'react'
import type { Heading } from '#ui/heading.ts'
import { plainPart, plainText } from '#ui/plain-text.ts'
import { toPlainText } from './find-snippet.ts'

/** Characters that no text has, around what was found. */
const markStart = '\uE000'
const markEnd = '\uE001'

/**
 * A highlighted snippet: HTML with `<mark>` and nothing else (query-service.md, option `highlight`), shown as text and marks. If the text
 * itself is HTML, its tags are left out, also those that are cut in two. `whole`: the value that the snippet is a part of.
 */
export const Snippet = ({ html, whole }: { html: string; whole?: string | undefined }) => {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  const text = [...body.childNodes]
    .map(({ nodeName, textContent }) =>
      nodeName === 'MARK' ? `${markStart}${textContent}${markEnd}` : textContent,
    )
    .join('')
  const parts = plainPart(text, whole ?? text, whole !== undefined && whole !== body.textContent).split(
    new RegExp(`[${markStart}${markEnd}]`),
  )
  // Every second part is marked.
  return parts.map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text, in their order
      <Mark key={index}>{part}</Mark>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text, in their order
      <Fragment key={index}>{part}</Fragment>
    ),
  )
}

/** The heading of a result, with what was found marked. */
export const HeadingText = ({ heading, highlights }: { heading: Heading; highlights: Highlights }) => {
  const [snippet, ...otherSnippets] = (heading.field !== undefined && highlights[heading.field]) || []
  return snippet !== undefined &&
    otherSnippets.length === 0 &&
    plainText(toPlainText(snippet)) === heading.text ? (
    <Snippet html={snippet} />
  ) : (
    heading.text
  )
}
