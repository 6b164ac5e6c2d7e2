/** The frame around every page: workspace, navigation, account. */
import { ActionIcon, AppShell, Burger, Button, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronDown } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Outlet, useMatches, useParams } from '@tanstack/react-router'
import { lazy, type MouseEvent, type ReactElement, type ReactNode, Suspense, useState } from 'react'
import { readOperation } from '#api/manage.ts'
import { person } from '#api/session.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { t } from '#i18n/translate.ts'
import { CommandButton } from './command-button.tsx'
import { TextLink } from './links.tsx'
import { Loading } from './loading.tsx'
import { requiredPermission } from './navigation.ts'
import { OfflineNote } from './offline-note.tsx'
import { UndoPlace } from './undo-place.tsx'
import { WorkspaceNavigation } from './workspace-navigation.tsx'

export const Shell = () => {
  const [isOpen, { toggle, close }] = useDisclosure()
  const { workspace } = useParams({ strict: false })
  const { data: me } = useSuspenseQuery(readOperation('getMe', {}))
  const isServer = useMatches({ select: matches => matches.some(({ fullPath }) => fullPath === '/server') })
  const isServerOpen = isServer && me.operator
  const hasNavigation = workspace !== undefined || isServerOpen
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{
        width: 240,
        breakpoint: 'sm',
        collapsed: { mobile: !isOpen, desktop: !hasNavigation },
      }}
      padding="lg"
    >
      {/* biome-ignore lint/a11y/useValidAnchor: it does lead to a place in the page */}
      <a className="skip-link" href="#content" onClick={skip}>
        {t('Skip to content')}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            {hasNavigation && (
              <Burger
                opened={isOpen}
                onClick={toggle}
                hiddenFrom="sm"
                size="sm"
                aria-label={isOpen ? t('Close the navigation') : t('Open the navigation')}
              />
            )}
            <TextLink to="/workspaces" fw={700} underline="never" visibleFrom="xs">
              <Group component="span" gap={8} wrap="nowrap">
                <img src="/console/icon.svg" alt="" width={24} height={24} />
                Querent
              </Group>
            </TextLink>
            <WorkspaceChoice workspace={workspace} isServer={isServer} />
          </Group>
          <Group gap="sm" wrap="nowrap">
            <CommandButton workspace={workspace} />
            <AccountButton />
          </Group>
        </Group>
      </AppShell.Header>
      {workspace !== undefined && (
        // Scrolled by the browser: Mantine's ScrollArea would have every page load Floating UI.
        <AppShell.Navbar p="sm" aria-label={t('Workspace')} style={{ overflowY: 'auto' }}>
          <WorkspaceNavigation workspace={workspace} onFollow={close} />
        </AppShell.Navbar>
      )}
      {isServerOpen && (
        <AppShell.Navbar p="sm" aria-label={t('Server')} style={{ overflowY: 'auto' }}>
          <Suspense>
            <ServerNavigation onFollow={close} />
          </Suspense>
        </AppShell.Navbar>
      )}
      <AppShell.Main id="content" tabIndex={-1}>
        <OfflineNote />
        <UndoPlace />
        {workspace === undefined ? <Outlet /> : <PermittedPage workspace={workspace} />}
      </AppShell.Main>
    </AppShell>
  )
}

/** Shows the page if the roles of the person allow it. */
const PermittedPage = ({ workspace }: { workspace: string }) => {
  const access = useWorkspaceAccess(workspace)
  const path = useMatches({ select: matches => matches.at(-1)?.fullPath ?? '' })
  const permission = requiredPermission(path)
  const isOpen = permission === undefined || access.may(permission)
  if (access.isVisible && isOpen) return <Outlet />
  return (
    <Suspense fallback={<Loading />}>
      {access.isVisible && permission !== undefined ? (
        <NoAccess workspace={workspace} access={access} permission={permission} />
      ) : (
        <NotAMember workspace={workspace} operator={access.operator} />
      )}
    </Suspense>
  )
}

/** Moves the focus without changing the address: the router would reload the page and lose the focus. */
const skip = (event: MouseEvent) => {
  event.preventDefault()
  document.getElementById('content')?.focus()
}

const NotAMember = lazy(async () => ({ default: (await import('./not-a-member.tsx')).NotAMember }))
const NoAccess = lazy(async () => ({ default: (await import('./no-access.tsx')).NoAccess }))

const ServerNavigation = lazy(async () => ({
  default: (await import('./server-navigation.tsx')).ServerNavigation,
}))

const WorkspaceMenu = lazy(async () => ({
  default: (await import('./workspace-menu.tsx')).WorkspaceMenu,
}))
const AccountMenu = lazy(async () => ({ default: (await import('./account-menu.tsx')).AccountMenu }))

interface WorkspaceChoiceProps {
  workspace: string | undefined
  /** Whether an operator's page is open. */
  isServer: boolean
}

const WorkspaceChoice = ({ workspace, isServer }: WorkspaceChoiceProps) => {
  const { data } = useSuspenseQuery(readOperation('listWorkspaces', {}))
  const { data: me } = useSuspenseQuery(readOperation('getMe', {}))
  const current = data.items.find(item => item.workspace === workspace)
  return (
    <LazyMenu
      button={open => (
        <Button
          variant="default"
          rightSection={<IconChevronDown size={16} />}
          maw={260}
          aria-haspopup="menu"
          onClick={open}
        >
          <Text truncate fw={600} size="sm">
            {current?.title ?? workspace ?? (isServer ? t('Server') : t('Workspaces'))}
          </Text>
        </Button>
      )}
    >
      {button => (
        <WorkspaceMenu workspaces={data.items} operator={me.operator === true}>
          {button}
        </WorkspaceMenu>
      )}
    </LazyMenu>
  )
}

const AccountButton = () => {
  const { email = '', name = '' } = person() ?? {}
  return (
    <LazyMenu
      button={open => (
        <ActionIcon
          variant="light"
          radius="xl"
          size={36}
          aria-haspopup="menu"
          aria-label={t('Account, {email}', { email })}
          onClick={open}
        >
          <Text span fw={600} tt="uppercase" aria-hidden>
            {(name || email).slice(0, 1)}
          </Text>
        </ActionIcon>
      )}
    >
      {button => <AccountMenu>{button}</AccountMenu>}
    </LazyMenu>
  )
}

interface LazyMenuProps {
  /** The button in the header. `open` is undefined as soon as the menu handles the button itself. */
  button: (open?: () => void) => ReactElement
  /** The menu around its button, open at first. */
  children: (button: ReactElement) => ReactNode
}

/** A button whose menu is loaded when it is opened for the first time: a menu is 20 KB, most of it to place it. */
const LazyMenu = ({ button, children }: LazyMenuProps) => {
  const [isRequested, setRequested] = useState(false)
  const inert = button(() => setRequested(true))
  if (!isRequested) return inert
  return <Suspense fallback={inert}>{children(button())}</Suspense>
}
