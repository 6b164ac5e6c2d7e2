import { Center, Loader } from '@mantine/core'

/** While a page is loaded. */
export const Waiting = () => (
  <Center mih={200}>
    <Loader aria-label="Loading" />
  </Center>
)
