/** Entries of the command palette. A new action is one entry here. */
import { useMantineColorScheme } from '@mantine/core'
import type { ApiSummary, CollectionSummary } from '@querent/contract/manage'
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
  IconPlayerPlay,
  IconStack2,
  IconSun,
  IconUserCircle,
  IconUserPlus,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { readOperation } from '#api/manage.ts'
import { signOut } from '#api/session.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { t } from '#i18n/translate.ts'
import { workspaceEntries } from './navigation.ts'

export interface Command {
  label: string
  /** Kind of command, shown beside it. */
  group: string
  icon: Icon
  /** Default: every member. */
  needs?: WorkspacePermission
  run: () => unknown
}

const groups = {
  page: t('Page'),
  action: t('Action'),
  api: t('API'),
  collection: t('Collection'),
  workspace: t('Workspace'),
} as const

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
  return [
    ...workspaces,
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
      run: () => setColorScheme('light'),
    },
    {
      label: t('Use the dark theme'),
      group: groups.action,
      icon: IconMoon,
      run: () => setColorScheme('dark'),
    },
    {
      label: t('Use the theme of the system'),
      group: groups.action,
      icon: IconDeviceDesktop,
      run: () => setColorScheme('auto'),
    },
    { label: t('Sign out'), group: groups.action, icon: IconLogout, run: signOut },
  ]
}

/** Commands in a workspace that the roles of the person allow. */
export const useWorkspaceCommands = (
  workspace: string,
  apis: readonly ApiSummary[],
  collections: readonly CollectionSummary[],
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
      ({ collection }): Command => ({
        label: collection,
        group: groups.collection,
        icon: IconDatabase,
        run: () => navigate({ to: '/w/$workspace/data/$collection', params: { workspace, collection } }),
      }),
    ),
    {
      label: t('Create a collection'),
      group: groups.action,
      icon: IconDatabasePlus,
      needs: 'edit',
      run: () => navigate({ to: '/w/$workspace/create-collection', params }),
    },
    {
      label: t('Edit the workspace file'),
      group: groups.action,
      icon: IconFileCode,
      needs: 'edit',
      run: () => navigate({ to: '/w/$workspace/settings/workspace-file', params }),
    },
    {
      label: t('Invite people'),
      group: groups.action,
      icon: IconUserPlus,
      needs: 'administer',
      run: () => navigate({ to: '/w/$workspace/settings/team-members', params, hash: 'invite' }),
    },
    {
      label: t('Create System-to-System account'),
      group: groups.action,
      icon: IconKey,
      needs: 'administer',
      run: () => navigate({ to: '/w/$workspace/settings/team-members', params, hash: 'create-account' }),
    },
    {
      label: t('Register application'),
      group: groups.action,
      icon: IconApps,
      needs: 'administer',
      run: () => navigate({ to: '/w/$workspace/settings/applications', params, hash: 'register' }),
    },
  ]
  return commands.filter(({ needs }) => needs === undefined || may(needs))
}

/** Commands whose label has a word that begins with each word of the text. Labels that begin with the text come first. */
export const findCommands = (commands: readonly Command[], text: string): Command[] => {
  const words = splitWords(text)
  const isFound = ({ label, group }: Command) => {
    const labelWords = [...splitWords(label), ...splitWords(group)]
    return words.every(word => labelWords.some(labelWord => labelWord.startsWith(word)))
  }
  const rank = ({ label }: Command) => (splitWords(label)[0]?.startsWith(words[0] ?? '') ? 0 : 1)
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
