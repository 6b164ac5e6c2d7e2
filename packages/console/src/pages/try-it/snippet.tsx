import { Mark } from '@mantine/core'
import { Fragment } from 'react'

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
