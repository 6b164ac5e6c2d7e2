import { Box } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { Failure } from './failure.tsx'
import { NotFound } from './not-found.tsx'

/** Outside the frame, which has the main landmark otherwise. */
export const StandaloneNotFound = () => (
  <Box component="main" maw={640} mx="auto" p="md">
    <NotFound />
  </Box>
)

/** As above. */
export const StandaloneFailure = (props: ErrorComponentProps) => (
  <Box component="main" maw={640} mx="auto" p="md">
    <Failure {...props} />
  </Box>
)
