/** Values of a result with what was found in them marked, also in parts of objects and in fields that a copy searches. */
import type { Highlights } from '@querent/contract/query'
import { Fragment, type ReactNode } from 'react'
import { hasValue } from '#ui/choose-fields.ts'
import { describeValue } from '#ui/describe-value.ts'
import { readableText } from '#ui/readable-text.ts'
import { findSnippet } from './find-snippet.ts'
import { Snippet } from './snippet.tsx'
import { type FieldTitles, titleField } from './title-field.ts'

type Parts = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is Parts =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A place is an object that is shown as one value. */
const hasParts = (value: unknown): value is Parts => isRecord(value) && describeValue(value).startsWith('{')

interface MarkedValueProps {
  value: unknown
  /** Name of its field, with the names of the parts behind it. */
  path: string
  fieldTitles: FieldTitles
  highlights: Highlights
}

export const MarkedValue = ({ value, path, ...display }: MarkedValueProps): ReactNode => {
  if (Array.isArray(value))
    return value.map((each, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the values of one field, in their order
      <Fragment key={index}>
        {index > 0 && ', '}
        <MarkedValue value={each} path={path} {...display} />
      </Fragment>
    ))
  if (hasParts(value))
    return Object.entries(value)
      .filter(([, part]) => hasValue(part))
      .map(([name, part], index) => (
        <Fragment key={name}>
          {index > 0 && '; '}
          {titleField(`${path}.${name}`, display.fieldTitles, name)}:{' '}
          <MarkedValue value={part} path={`${path}.${name}`} {...display} />
        </Fragment>
      ))
  const snippet = typeof value === 'string' ? findSnippet(value, path, display.highlights) : undefined
  return snippet === undefined ? readableText(value) : <Snippet html={snippet} />
}
