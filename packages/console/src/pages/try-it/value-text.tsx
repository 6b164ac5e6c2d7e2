/** A value of a document as people read it: grouped digits, parts of objects by name, web addresses as links. */
import { Anchor } from '@mantine/core'
import { Fragment } from 'react'
import { language } from '#i18n/translate.ts'
import { describeValue } from '#ui/describe-value.ts'

const numberFormat = new Intl.NumberFormat(language, { maximumFractionDigits: 20 })
/** Smaller numbers may be years. */
const groupedFrom = 10_000
const depthMax = 3

export const readableText = (value: unknown, depth = 0): string => {
  if (typeof value === 'number' && Number.isSafeInteger(value) && Math.abs(value) >= groupedFrom)
    return numberFormat.format(value)
  const text = describeValue(value)
  if (typeof value !== 'object' || value === null || !text.startsWith('{') || depth >= depthMax) return text
  return Object.entries(value)
    .map(
      ([name, part]) =>
        `${name}: ${[part]
          .flat()
          .map(each => readableText(each, depth + 1))
          .join(', ')}`,
    )
    .join('; ')
}

const isWebAddress = (value: unknown): value is string =>
  typeof value === 'string' && /^https?:\/\/\S+$/i.test(value)

/** Values next to each other. Only web addresses are links, because documents may contain any URI. */
export const ValueList = ({ values }: { values: readonly unknown[] }) =>
  values.map((value, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the values of one field, in their order
    <Fragment key={index}>
      {index > 0 && ' · '}
      {isWebAddress(value) ? (
        <Anchor href={value} target="_blank" rel="noreferrer" size="sm">
          {value}
        </Anchor>
      ) : (
        readableText(value)
      )}
    </Fragment>
  ))
