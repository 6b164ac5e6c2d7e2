import { Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'

interface EmptyProps {
  title: string
  icon?: ReactNode
  /** Replaces a whole page, with its heading and title. */
  isPage?: boolean
  children: ReactNode
}

/** Replaces an empty list: says what belongs here, and what to do next. */
export const Empty = ({ title, icon, isPage = false, children }: EmptyProps) => {
  useEffect(() => {
    if (isPage) document.title = `${title} · Querent`
  }, [isPage, title])
  return (
    <Paper withBorder p="xl">
      <Stack align="center" gap="xs" ta="center">
        {icon && (
          <Text component="span" c="dimmed" lh={1} aria-hidden>
            {icon}
          </Text>
        )}
        <Title order={isPage ? 1 : 2} size="h4">
          {title}
        </Title>
        <Text component="div" c="dimmed" maw={520}>
          {children}
        </Text>
      </Stack>
    </Paper>
  )
}
