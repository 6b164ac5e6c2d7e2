import { Button, Group, Stack } from '@mantine/core'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { clearTokens } from '#api/session.ts'
import { ErrorNote } from './error-note.tsx'

/** In place of a page that could not be shown. */
export const Failure = ({ error, reset }: ErrorComponentProps) => {
  const router = useRouter()
  const retry = async () => {
    // The server may have ended the tokens in memory.
    clearTokens()
    reset()
    await router.invalidate()
  }
  return (
    <Stack maw={600} m="md">
      <ErrorNote error={error} />
      <Group>
        <Button onClick={retry}>Try again</Button>
        <Button component="a" href="/console/" variant="default">
          Start page
        </Button>
      </Group>
    </Stack>
  )
}
