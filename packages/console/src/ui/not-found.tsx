import { Empty } from './empty.tsx'
import { TextLink } from './links.tsx'

/** At an address of the console where there is no page. */
export const NotFound = () => (
  <Empty title="There is no such page" isPage>
    <TextLink to="/">Go to the start page</TextLink>
  </Empty>
)
