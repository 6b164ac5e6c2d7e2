import { Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { Breadcrumbs } from './breadcrumbs.tsx'

interface PageProps {
  title: string
  /** One sentence on what is done here. */
  description?: ReactNode
  /** The page's main button. */
  action?: ReactNode
  children: ReactNode
}

/** Frame of every page: a heading that the browser's title repeats, and the main action. */
export const Page = ({ title, description, action, children }: PageProps) => {
  useEffect(() => {
    document.title = `${title} · Querent`
  }, [title])
  return (
    <Stack gap="lg" maw={1280} mx="auto">
      <Group justify="space-between" align="flex-start">
        <Stack gap={4}>
          <Breadcrumbs title={title} />
          <Title order={1} size="h2" tabIndex={-1}>
            {title}
          </Title>
          {description && <Text c="dimmed">{description}</Text>}
        </Stack>
        {action}
      </Group>
      {children}
    </Stack>
  )
}
