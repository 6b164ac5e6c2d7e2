import { Anchor } from '@mantine/core'
import { Fragment } from 'react'
import { readableText } from '#ui/readable-text.ts'

const isWebAddress = (value: unknown): value is string =>
  typeof value === 'string' && /^https?:\/\/\S+$/i.test(value)

const isRecord = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Values next to each other, or several objects in a list. Only web addresses are links, because documents may contain any URI. */
export const ValueList = ({ values }: { values: readonly unknown[] }) =>
  values.length > 1 && values.every(isRecord) ? (
    <ul className="value-list">
      {values.map((value, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the values of one field, in their order
        <li key={index}>{readableText(value)}</li>
      ))}
    </ul>
  ) : (
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
  )
