import { Center, Loader } from '@mantine/core'

/** While a page is loaded. */
export const Loading = () => (
  <Center mih={200}>
    <Loader role="status" aria-label="Loading" />
  </Center>
)
