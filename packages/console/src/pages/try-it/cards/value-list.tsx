import { Anchor } from '@mantine/core'
import type { Highlights } from '@querent/contract/query'
import { Fragment } from 'react'
import { isRecord, MarkedValue } from './marked-value.tsx'
import type { FieldTitles } from './title-field.ts'

const isWebAddress = (value: unknown): value is string =>
  typeof value === 'string' && /^https?:\/\/\S+$/i.test(value)

interface ValueListProps {
  values: readonly unknown[]
  name: string
  fieldTitles: FieldTitles
  highlights: Highlights
}

/** Values next to each other, or several objects in a list. Only web addresses are links, because documents may contain any URI. */
export const ValueList = ({ values, name, ...display }: ValueListProps) =>
  values.length > 1 && values.every(isRecord) ? (
    <ul className="value-list">
      {values.map((value, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the values of one field, in their order
        <li key={index}>
          <MarkedValue value={value} path={name} {...display} />
        </li>
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
          <MarkedValue value={value} path={name} {...display} />
        )}
      </Fragment>
    ))
  )
