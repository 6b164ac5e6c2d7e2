/** Entries of the command palette. A new action is one entry here. */
import { useMantineColorScheme } from '@mantine/core'
import type { ApiSummary, CollectionSummary, SystemToSystem } from '@querent/contract/manage'
import type { WorkspacePermission } from '@querent/contract/roles'
import {
  type Icon,
  IconApps,
  IconDatabase,
  IconDatabasePlus,
  IconDeviceDesktop,
  IconFileCode,
  IconKey,
  IconLogout,
  IconMoon,
  IconPin,
  IconPlayerPlay,
  IconPlugConnected,
  IconStack2,
  IconSun,
  IconUserCircle,
  IconUserPlus,
  IconUsersGroup,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { readOperation } from '#api/manage.ts'
import { signOut } from '#api/session.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { t } from '#i18n/translate.ts'
import { namedCollectionPages } from './collection-pages.ts'
import { serverEntries, workspaceEntries } from './navigation.ts'

export interface Command {
  label: string
  /** Kind of command, shown beside it. */
  group: string
  icon: Icon
  /** Default: every member. */
  needs?: WorkspacePermission
  /** Whether the page stays. */
  isInPlace?: boolean
  /** If others have the same label and group. */
  key?: string
  run: () => unknown
}

const groups = {
  page: t('Page'),
  action: t('Action'),
  api: t('API'),
  collection: t('Collection'),
  server: t('Server'),
  account: t('System-to-System account'),
  workspace: t('Workspace'),
} as const

/** The pages of an API besides Try it. */
const apiPages = [
  { label: t('Endpoints'), to: '/w/$workspace/apis/$api/endpoints', icon: IconPlugConnected },
  { label: t('Curation'), to: '/w/$workspace/apis/$api/curation', icon: IconPin },
] as const

/** Tasks in a workspace, with the page of each. */
const workspaceActions = [
  {
    label: t('Create a collection'),
    icon: IconDatabasePlus,
    needs: 'edit',
    to: '/w/$workspace/create-collection',
  },
  {
    label: t('Edit the workspace file'),
    icon: IconFileCode,
    needs: 'edit',
    to: '/w/$workspace/settings/workspace-file',
  },
  {
    label: t('Invite people'),
    icon: IconUserPlus,
    needs: 'administer',
    to: '/w/$workspace/settings/team-members',
    hash: 'invite',
  },
  {
    label: t('Create group'),
    icon: IconUsersGroup,
    needs: 'administer',
    to: '/w/$workspace/settings/groups',
    hash: 'create-group',
  },
  {
    label: t('Create System-to-System account'),
    icon: IconKey,
    needs: 'administer',
    to: '/w/$workspace/settings/team-members',
    hash: 'create-account',
  },
  {
    label: t('Register application'),
    icon: IconApps,
    needs: 'administer',
    to: '/w/$workspace/settings/applications',
    hash: 'register',
  },
] as const

/** Commands in every place. */
export const useGeneralCommands = (): Command[] => {
  const navigate = useNavigate()
  const { setColorScheme } = useMantineColorScheme()
  const { data } = useQuery(readOperation('listWorkspaces', {}))
  const workspaces = (data?.items ?? []).map(
    ({ workspace, title }): Command => ({
      label: title,
      group: groups.workspace,
      icon: IconStack2,
      run: () => navigate({ to: '/w/$workspace', params: { workspace } }),
    }),
  )
  const { data: me } = useQuery(readOperation('getMe', {}))
  const serverPages = (me?.operator ? serverEntries : []).map(
    ({ to, label, icon }): Command => ({ label, group: groups.server, icon, run: () => navigate({ to }) }),
  )
  return [
    ...workspaces,
    ...serverPages,
    {
      label: t('Workspaces'),
      group: groups.page,
      icon: IconStack2,
      run: () => navigate({ to: '/workspaces' }),
    },
    { label: t('Account'), group: groups.page, icon: IconUserCircle, run: () => navigate({ to: '/you' }) },
    {
      label: t('Use the light theme'),
      group: groups.action,
      icon: IconSun,
      isInPlace: true,
      run: () => setColorScheme('light'),
    },
    {
      label: t('Use the dark theme'),
      group: groups.action,
      icon: IconMoon,
      isInPlace: true,
      run: () => setColorScheme('dark'),
    },
    {
      label: t('Use the theme of the system'),
      group: groups.action,
      icon: IconDeviceDesktop,
      isInPlace: true,
      run: () => setColorScheme('auto'),
    },
    { label: t('Sign out'), group: groups.action, icon: IconLogout, run: signOut },
  ]
}

/** The parts of a workspace that have pages of their own. */
interface WorkspaceParts {
  apis: readonly ApiSummary[]
  collections: readonly CollectionSummary[]
  accounts: readonly SystemToSystem[]
}

/** Commands in a workspace that the roles of the person allow. */
export const useWorkspaceCommands = (
  workspace: string,
  { apis, collections, accounts }: WorkspaceParts,
): Command[] => {
  const navigate = useNavigate()
  const { may } = useWorkspaceAccess(workspace)
  const params = { workspace }
  const commands: Command[] = [
    ...workspaceEntries.map(
      (entry): Command => ({
        label: entry.label,
        group: groups.page,
        icon: entry.icon,
        ...('needs' in entry ? { needs: entry.needs } : {}),
        run: () => navigate({ to: entry.to, params }),
      }),
    ),
    ...apis.map(
      ({ api, title }): Command => ({
        label: t('Try {api}', { api: title }),
        group: groups.api,
        icon: IconPlayerPlay,
        needs: 'query',
        run: () => navigate({ to: '/w/$workspace/apis/$api', params: { workspace, api } }),
      }),
    ),
    ...collections.map(
      ({ collection, title }): Command => ({
        label: title,
        group: groups.collection,
        icon: IconDatabase,
        run: () => navigate({ to: '/w/$workspace/data/$collection', params: { workspace, collection } }),
      }),
    ),
    ...apis.flatMap(({ api, title }) =>
      apiPages.map(
        ({ label, to, icon }): Command => ({
          label: `${title}: ${label}`,
          group: groups.api,
          icon,
          needs: 'edit',
          run: () => navigate({ to, params: { workspace, api } }),
        }),
      ),
    ),
    ...collections.flatMap(({ collection, title }) =>
      namedCollectionPages.map(
        ({ label, to, icon, needs }): Command => ({
          label: `${title}: ${label}`,
          group: groups.collection,
          icon,
          needs,
          run: () => navigate({ to, params: { workspace, collection } }),
        }),
      ),
    ),
    ...accounts.map(
      ({ clientId, name }): Command => ({
        label: name,
        group: groups.account,
        icon: IconKey,
        needs: 'administer',
        run: () =>
          navigate({
            to: '/w/$workspace/settings/team-members/system-to-system/$clientId',
            params: { workspace, clientId },
          }),
      }),
    ),
    ...workspaceActions.map(
      ({ label, icon, needs, ...place }): Command => ({
        label,
        group: groups.action,
        icon,
        needs,
        run: () => navigate({ ...place, params }),
      }),
    ),
  ]
  return commands.filter(({ needs }) => needs === undefined || may(needs))
}

/**
 * Commands whose label has a word that begins with each word of the text. The label that is the text comes first, then those that begin
 * with it.
 */
export const findCommands = (commands: readonly Command[], text: string): Command[] => {
  const words = splitWords(text)
  const isFound = ({ label, group }: Command) => {
    const labelWords = [...splitWords(label), ...splitWords(group)]
    return words.every(word => labelWords.some(labelWord => labelWord.startsWith(word)))
  }
  const rank = ({ label }: Command) => {
    const labelWords = splitWords(label)
    if (labelWords.join(' ') === words.join(' ')) return 0
    return labelWords[0]?.startsWith(words[0] ?? '') ? 1 : 2
  }
  return commands
    .filter(isFound)
    .toSorted((a, b) => rank(a) - rank(b))
    .slice(0, 50)
}

/** Lower-case words without accents. */
const splitWords = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '')
