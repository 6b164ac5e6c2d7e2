import { Anchor, Group, Stack, Text, Title } from '@mantine/core'
import { IconBook2 } from '@tabler/icons-react'
import { useMatches } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { t } from '#i18n/translate.ts'
import { docsAddress } from './docs-links.ts'
import { TextLink } from './links.tsx'
import { findEntry } from './navigation.ts'

interface PageProps {
  title: string
  /** The name in addresses and in the workspace file, beside the title. */
  name?: string
  /** One sentence on what is done here. */
  description?: ReactNode
  /** The page's main button. */
  action?: ReactNode
  children: ReactNode
}

/** Frame of every page: a heading that the browser's title repeats, its documentation, and the main action. */
export const Page = ({ title, name, description, action, children }: PageProps) => {
  useEffect(() => {
    document.title = `${title} · Querent`
  }, [title])
  return (
    <Stack gap="lg" maw={1280} mx="auto">
      <div className="page-head">
        <Stack gap={4}>
          <Breadcrumbs title={title} />
          <Group gap="sm" align="baseline">
            <Title order={1} size="h2" tabIndex={-1}>
              {title}
            </Title>
            {name !== undefined && (
              <Text span size="sm" c="dimmed" ff="monospace">
                {name}
              </Text>
            )}
          </Group>
        </Stack>
        <div className="page-docs">
          <DocsLink />
        </div>
        {description && (
          <Text c="dimmed" className="page-description">
            {description}
          </Text>
        )}
        {action && (
          <Group gap="md" className="page-action">
            {action}
          </Group>
        )}
      </div>
      {children}
    </Stack>
  )
}

/** Opens the documentation of the page in a tab of its own: unsaved text stays. */
const DocsLink = () => {
  const address = useMatches({ select: matches => docsAddress(matches.at(-1)?.fullPath ?? '') })
  return (
    <Anchor href={address} target="_blank" rel="noopener" size="sm" py={4} underline="hover" c="dimmed">
      <Group gap={6} wrap="nowrap" fz="sm">
        <IconBook2 size={16} stroke={1.7} aria-hidden />
        <span className="page-docs-text">{t('Docs')}</span>
      </Group>
    </Anchor>
  )
}

/** The way back to the page above this one. Empty for a page of the navigation. */
const Breadcrumbs = ({ title }: { title: string }) => {
  const { path, workspace } = useMatches({
    select: matches => {
      const last = matches.at(-1)
      const params: { workspace?: string } = last?.params ?? {}
      return { path: last?.fullPath ?? '', workspace: params.workspace }
    },
  })
  const parent = findEntry(path)
  if (!parent || workspace === undefined || parent.to === path.replace(/\/$/, '')) return null
  return (
    <nav aria-label={t('Breadcrumb')} className="breadcrumbs">
      <ol>
        <li>
          <TextLink to={parent.to} params={{ workspace }} underline="hover">
            {parent.label}
          </TextLink>
        </li>
        <li aria-current="page">{title}</li>
      </ol>
    </nav>
  )
}
