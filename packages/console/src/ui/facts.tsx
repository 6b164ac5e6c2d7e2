import { Box } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'

/** Names and values in two columns; below each other on a phone (style.css). */
export const Facts = ({ facts }: { facts: readonly [name: string, value: ReactNode][] }) => (
  <Box component="dl" className="facts">
    {facts.map(([name, value]) => (
      <Fragment key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </Fragment>
    ))}
  </Box>
)
