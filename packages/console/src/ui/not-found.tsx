import { Empty } from './empty.tsx'
import { TextLink } from './links.tsx'

/** Shown at an unknown address of the console. */
export const NotFound = () => (
  <Empty title="Page not found" isPage>
    <TextLink to="/">Go to the start page</TextLink>
  </Empty>
)
