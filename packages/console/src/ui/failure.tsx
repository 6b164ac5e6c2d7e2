import { Button, Group, Stack } from '@mantine/core'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { clearTokens } from '#api/session.ts'
import { t } from '#i18n/translate.ts'
import { ErrorNote } from './error-note.tsx'
import { isOutdated, isUnreachable } from './failed-import.ts'

/** In place of a page that could not be shown. */
export const Failure = ({ error, reset }: ErrorComponentProps) => {
  const router = useRouter()
  const retry = async () => {
    if (isOutdated(error)) return location.reload()
    // The server may have ended the tokens in memory.
    clearTokens()
    reset()
    await router.invalidate()
  }
  // A lost connection is back.
  useEffect(() => {
    if (!isUnreachable(error)) return
    const retryOnline = () => void retry()
    window.addEventListener('online', retryOnline)
    return () => window.removeEventListener('online', retryOnline)
  })
  return (
    <Stack maw={600} m="md">
      <ErrorNote error={error} hasSteps />
      <Group>
        <Button onClick={retry}>{isOutdated(error) ? t('Load the page again') : t('Try again')}</Button>
        <Button component="a" href="/console/" variant="default">
          {t('Start page')}
        </Button>
      </Group>
    </Stack>
  )
}
