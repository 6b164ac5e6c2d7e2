import { Paper, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface SettingsCardProps {
  title: string
  /** The form that saves the settings of the card. */
  children: ReactNode
}

/** Settings that are saved together, in a card of their own, so that it is clear what its button saves. */
export const SettingsCard = ({ title, children }: SettingsCardProps) => (
  <Paper withBorder p="lg" maw={640}>
    <Stack gap="sm">
      <Title order={2} size="h4">
        {title}
      </Title>
      {children}
    </Stack>
  </Paper>
)
