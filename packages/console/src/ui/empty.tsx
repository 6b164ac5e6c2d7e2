import { Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** In place of an empty list: what would stand here, and what to do next. */
export const Empty = ({ title, children }: { title: string; children: ReactNode }) => (
  <Paper withBorder p="xl">
    <Stack align="center" gap="xs" ta="center">
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text component="div" c="dimmed" maw={520}>
        {children}
      </Text>
    </Stack>
  </Paper>
)
