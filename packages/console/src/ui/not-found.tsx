import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Empty } from './empty.tsx'

/** At an address of the console where there is no page. */
export const NotFound = () => (
  <Empty title="There is no such page">
    <Anchor component={Link} to="/">
      Go to the start page
    </Anchor>
  </Empty>
)
