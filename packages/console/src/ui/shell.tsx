/** The frame around every page: workspace, navigation, account. */
import { AppShell, Burger, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronDown, IconUser } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Outlet, useMatches, useParams } from '@tanstack/react-router'
import { lazy, type MouseEvent, Suspense, useState } from 'react'
import { readOperation } from '#api/manage.ts'
import { person, signOut } from '#api/session.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { NavigationLink, TextLink } from './links.tsx'
import { Loading } from './loading.tsx'
import { type NavigationEntry, navigation, requiredPermission, settings } from './navigation.ts'

export const Shell = () => {
  const [isOpen, { toggle, close }] = useDisclosure()
  const { workspace } = useParams({ strict: false })
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{
        width: 240,
        breakpoint: 'sm',
        collapsed: { mobile: !isOpen, desktop: workspace === undefined },
      }}
      padding="lg"
    >
      {/* biome-ignore lint/a11y/useValidAnchor: it does lead to a place in the page */}
      <a className="skip-link" href="#content" onClick={skip}>
        Skip to content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            {workspace !== undefined && (
              <Burger
                opened={isOpen}
                onClick={toggle}
                hiddenFrom="sm"
                size="sm"
                aria-label={isOpen ? 'Close the navigation' : 'Open the navigation'}
              />
            )}
            <TextLink to="/workspaces" fw={700} underline="never" visibleFrom="xs">
              Querent
            </TextLink>
            <WorkspaceChoice workspace={workspace} />
          </Group>
          <AccountLinks />
        </Group>
      </AppShell.Header>
      {workspace !== undefined && (
        // Scrolled by the browser: Mantine's ScrollArea would have every page load Floating UI.
        <AppShell.Navbar p="sm" aria-label="Workspace" style={{ overflowY: 'auto' }}>
          <Navigation workspace={workspace} onFollow={close} />
        </AppShell.Navbar>
      )}
      <AppShell.Main id="content" tabIndex={-1}>
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

const WorkspaceMenu = lazy(async () => ({
  default: (await import('./workspace-menu.tsx')).WorkspaceMenu,
}))

const WorkspaceChoice = ({ workspace }: { workspace: string | undefined }) => {
  const [isRequested, setRequested] = useState(false)
  const { data } = useSuspenseQuery(readOperation('listWorkspaces', {}))
  const current = data.items.find(item => item.workspace === workspace)
  const button = (
    <Button
      variant="default"
      rightSection={<IconChevronDown size={16} />}
      maw={260}
      aria-haspopup="menu"
      onClick={() => setRequested(true)}
    >
      <Text truncate fw={600} size="sm">
        {current?.title ?? workspace ?? 'Workspaces'}
      </Text>
    </Button>
  )
  if (!isRequested) return button
  return (
    <Suspense fallback={button}>
      <WorkspaceMenu workspaces={data.items}>{button}</WorkspaceMenu>
    </Suspense>
  )
}

const AccountLinks = () => (
  <Group gap="sm" wrap="nowrap">
    <TextLink to="/you" aria-label={`Account, ${person()?.email}`} lh={1} underline="hover">
      <Text span truncate size="sm" maw={220} display="block" visibleFrom="sm">
        {person()?.email}
      </Text>
      <Text span hiddenFrom="sm">
        <IconUser size={22} />
      </Text>
    </TextLink>
    <Button variant="default" size="sm" onClick={signOut}>
      Sign out
    </Button>
  </Group>
)

const Navigation = ({ workspace, onFollow }: { workspace: string; onFollow: () => void }) => {
  const link = ({ to, label }: NavigationEntry) => (
    <NavigationLink
      key={to}
      to={to}
      params={{ workspace }}
      label={label}
      activeOptions={{ exact: to === '/w/$workspace' }}
      activeProps={{ active: true }}
      onClick={onFollow}
    />
  )
  const { may } = useWorkspaceAccess(workspace)
  const isOpen = (entry: NavigationEntry) => !('needs' in entry) || may(entry.needs)
  const openSettings = settings.filter(isOpen)
  return (
    <Stack gap={2}>
      {navigation.filter(isOpen).map(link)}
      {openSettings.length > 0 && (
        <Text size="xs" fw={600} c="dimmed" mt="md" mb={4} px="sm">
          Settings
        </Text>
      )}
      {openSettings.map(link)}
    </Stack>
  )
}
