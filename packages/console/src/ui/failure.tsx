import { Button, Group, Stack } from '@mantine/core'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { forgetTokens } from '#api/session.ts'
import { ErrorNote } from './error-note.tsx'

/** In place of a page that could not be shown. */
export const Failure = ({ error, reset }: ErrorComponentProps) => {
  const router = useRouter()
  const again = async () => {
    // The server may have ended the tokens in memory.
    forgetTokens()
    reset()
    await router.invalidate()
  }
  return (
    <Stack maw={600} m="md">
      <ErrorNote error={error} />
      <Group>
        <Button onClick={again}>Try again</Button>
        <Button component="a" href="/console/" variant="default">
          Start page
        </Button>
      </Group>
    </Stack>
  )
}
