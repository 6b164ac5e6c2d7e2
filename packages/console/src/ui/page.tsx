import { Anchor, Group, Stack, Text, Title } from '@mantine/core'
import { IconBook2 } from '@tabler/icons-react'
import { useMatches } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { t } from '#i18n/translate.ts'
import { Breadcrumbs } from './breadcrumbs.tsx'
import { docsAddress } from './docs-links.ts'

interface PageProps {
  title: string
  /** One sentence on what is done here. */
  description?: ReactNode
  /** The page's main button. */
  action?: ReactNode
  children: ReactNode
}

/** Frame of every page: a heading that the browser's title repeats, its documentation, and the main action. */
export const Page = ({ title, description, action, children }: PageProps) => {
  useEffect(() => {
    document.title = `${title} · Querent`
  }, [title])
  return (
    <Stack gap="lg" maw={1280} mx="auto">
      <Group justify="space-between" align="flex-start">
        <Stack gap={4} flex="1 1 18rem">
          <Breadcrumbs title={title} />
          <Title order={1} size="h2" tabIndex={-1}>
            {title}
          </Title>
          {description && <Text c="dimmed">{description}</Text>}
        </Stack>
        <Group gap="md" mih={36}>
          <DocsLink />
          {action}
        </Group>
      </Group>
      {children}
    </Stack>
  )
}

/** Opens the documentation of the page in a tab of its own: unsaved text stays. */
const DocsLink = () => {
  const address = useMatches({ select: matches => docsAddress(matches.at(-1)?.fullPath ?? '') })
  return (
    <Anchor href={address} target="_blank" rel="noopener" size="sm" underline="hover" c="dimmed">
      <Group gap={6} wrap="nowrap" fz="sm">
        <IconBook2 size={16} stroke={1.7} aria-hidden />
        {t('Docs')}
      </Group>
    </Anchor>
  )
}
