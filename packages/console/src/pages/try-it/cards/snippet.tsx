import { Mark } from '@mantine/core'
import type { Highlights } from '@querent/contract/query'
import { Fragment } from 'react'
import type { Heading } from '#ui/heading.ts'

/** A highlighted snippet: HTML with `<mark>` and nothing else (query-service.md, option `highlight`), shown as text and marks. */
export const Snippet = ({ html }: { html: string }) => {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  return [...body.childNodes].map((node, index) =>
    node.nodeName === 'MARK' ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text, in their order
      <Mark key={index}>{node.textContent}</Mark>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text, in their order
      <Fragment key={index}>{node.textContent}</Fragment>
    ),
  )
}

/** Returns the text of a snippet without its marks. */
export const toPlainText = (html: string): string =>
  new DOMParser().parseFromString(html, 'text/html').body.textContent

/** The heading of a result, with what was found marked. */
export const HeadingText = ({ heading, highlights }: { heading: Heading; highlights: Highlights }) => {
  const [snippet, ...otherSnippets] = (heading.field !== undefined && highlights[heading.field]) || []
  return snippet !== undefined && otherSnippets.length === 0 && toPlainText(snippet) === heading.text ? (
    <Snippet html={snippet} />
  ) : (
    heading.text
  )
}
