import type { WorkspacePermission } from '@querent/contract/roles'
import {
  type Icon,
  IconActivityHeartbeat,
  IconApps,
  IconChartBar,
  IconChecklist,
  IconDatabase,
  IconDatabaseExport,
  IconFileCode,
  IconFolders,
  IconHistory,
  IconHome,
  IconKey,
  IconListSearch,
  IconLogin2,
  IconMail,
  IconPlugConnected,
  IconSettings,
  IconShieldLock,
  IconShieldQuestion,
  IconUsers,
  IconUsersGroup,
} from '@tabler/icons-react'
import { t } from '#i18n/translate.ts'
import { namedCollectionPages } from './collection-pages.ts'

/** The pages of a workspace, in the order of the navigation. A new page is one line here. */
export const workspaceSections = [
  { heading: undefined, entries: [{ to: '/w/$workspace', label: t('Overview'), icon: IconHome }] },
  {
    heading: t('Search'),
    entries: [
      { to: '/w/$workspace/apis', label: t('APIs'), icon: IconPlugConnected, needs: 'look' },
      { to: '/w/$workspace/data', label: t('Data'), icon: IconDatabase, needs: 'import' },
      {
        to: '/w/$workspace/relevance',
        label: t('Relevance tests'),
        icon: IconChecklist,
        needs: 'edit',
      },
      { to: '/w/$workspace/usage', label: t('Usage'), icon: IconChartBar, needs: 'edit' },
      { to: '/w/$workspace/requests', label: t('Requests'), icon: IconListSearch, needs: 'edit' },
    ],
  },
  {
    heading: t('Access'),
    entries: [
      {
        to: '/w/$workspace/settings/team-members',
        label: t('Team Members'),
        icon: IconUsers,
        needs: 'administer',
      },
      {
        to: '/w/$workspace/settings/groups',
        label: t('Groups'),
        icon: IconUsersGroup,
        needs: 'administer',
      },
      {
        to: '/w/$workspace/settings/applications',
        label: t('Applications'),
        icon: IconApps,
        needs: 'administer',
      },
      {
        to: '/w/$workspace/settings/sign-in-log',
        label: t('Sign-in log'),
        icon: IconLogin2,
        needs: 'administer',
      },
      { to: '/w/$workspace/refused', label: t('Why was I refused?'), icon: IconShieldQuestion },
    ],
  },
  {
    heading: t('Settings'),
    entries: [
      {
        to: '/w/$workspace/settings/general',
        label: t('General'),
        icon: IconSettings,
        needs: 'administer',
      },
      {
        to: '/w/$workspace/settings/workspace-file',
        label: t('Workspace file'),
        icon: IconFileCode,
        needs: 'edit',
      },
      {
        to: '/w/$workspace/settings/security',
        label: t('Security'),
        icon: IconShieldLock,
        needs: 'administer',
      },
      {
        to: '/w/$workspace/settings/sign-in',
        label: t('Sign-in'),
        icon: IconKey,
        needs: 'administer',
      },
      {
        to: '/w/$workspace/settings/audit-log',
        label: t('Audit log'),
        icon: IconHistory,
        needs: 'administer',
      },
    ],
  },
] as const satisfies Section[]

interface Section {
  /** Undefined for the first section. */
  heading: string | undefined
  entries: readonly Entry[]
}

interface Entry {
  to: string
  label: string
  icon: Icon
  /** Permission that a member needs to see it; undefined: none. */
  needs?: WorkspacePermission
}

export type WorkspaceEntry = (typeof workspaceSections)[number]['entries'][number]

/** The pages of the navigation in one list. */
export const workspaceEntries: readonly WorkspaceEntry[] = workspaceSections.flatMap(
  ({ entries }): readonly WorkspaceEntry[] => entries,
)

/** The pages of operators. A new page is one line here. */
export const serverEntries = [
  { to: '/server', label: t('Status'), icon: IconActivityHeartbeat },
  { to: '/server/people', label: t('People'), icon: IconUsers },
  { to: '/server/workspaces', label: t('Workspaces'), icon: IconFolders },
  { to: '/server/sign-in-log', label: t('Sign-in log'), icon: IconLogin2 },
  { to: '/server/audit-log', label: t('Audit log'), icon: IconHistory },
  { to: '/server/keys', label: t('Signing keys'), icon: IconKey },
  { to: '/server/mail', label: t('Mail'), icon: IconMail },
  { to: '/server/backup', label: t('Backup'), icon: IconDatabaseExport },
] as const

/** Pages that are not in the navigation, and whose address does not begin with that of the page above them. */
const otherParents: Readonly<Record<string, WorkspaceEntry['to']>> = {
  '/w/$workspace/create-collection': '/w/$workspace/data',
}

/** The page above a page, or the page itself if it is in the navigation. `path` is that of the route. */
export const findEntry = (path: string): WorkspaceEntry | undefined => {
  // The path of an index route ends with a slash.
  const page = path.replace(/\/$/, '')
  const parent = otherParents[page] ?? page
  return (
    workspaceEntries.find(({ to }) => to === parent) ??
    workspaceEntries.find(({ to }) => to !== '/w/$workspace' && page.startsWith(`${to}/`))
  )
}

/** The permission that a page needs: its own, or that of the page above it. */
export const requiredPermission = (path: string): WorkspacePermission | undefined => {
  const collectionPage = namedCollectionPages.find(({ to }) => path.startsWith(to))
  if (collectionPage) return collectionPage.needs
  if (/^\/w\/\$workspace\/apis\/\$api\/(endpoints|curation)/.test(path)) return 'edit'
  // Operators see the APIs of every workspace, and query where they are members.
  if (path.startsWith('/w/$workspace/apis/')) return 'query'
  // `needs` is absent where every member may see the page.
  const entry: Entry | undefined = findEntry(path)
  return entry?.needs
}
