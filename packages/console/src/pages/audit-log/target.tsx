/** The target of an action by its title, with a link to its page. */
import { Stack, Text } from '@mantine/core'
import { displayEmail } from '@querent/contract/email-address'
import type { AuditEntry } from '@querent/contract/manage'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { readOperation } from '#api/manage.ts'
import { useWorkspaceLists } from '#api/workspace-lists.ts'
import { t } from '#i18n/translate.ts'
import { TextLink } from '#ui/links.tsx'
import { readChangedPaths } from './changed-paths.ts'

interface TargetProps {
  workspace: string
  entry: AuditEntry
}

export const Target = ({ workspace, entry }: TargetProps) => {
  const { apis, collections } = useWorkspaceLists(workspace)
  const { data: workspaces } = useQuery(readOperation('listWorkspaces', {}))
  const { kind, name } = readPlace(workspace, entry)
  if (kind === 'other' && name === workspace) {
    const title = workspaces?.items.find(item => item.workspace === workspace)?.title
    return <TitleWithName title={title ?? workspace} name={workspace} />
  }
  if (kind === 'collection') {
    const collection = collections?.find(item => item.collection === name)
    return (
      <TitleWithName title={collection?.title ?? name} name={name}>
        {collection && (
          <TextLink to="/w/$workspace/data/$collection" params={{ workspace, collection: name }}>
            {collection.title}
          </TextLink>
        )}
      </TitleWithName>
    )
  }
  if (kind === 'api') {
    const api = apis?.find(item => item.api === name)
    return (
      <TitleWithName title={api?.title ?? name} name={name}>
        {api && (
          <TextLink to="/w/$workspace/apis/$api/endpoints" params={{ workspace, api: name }}>
            {api.title}
          </TextLink>
        )}
      </TitleWithName>
    )
  }
  if (kind === 'group')
    return (
      <TextLink to="/w/$workspace/settings/groups" params={{ workspace }}>
        {name === 'memberDefaults' ? t('Defaults of members') : name}
      </TextLink>
    )
  if (kind === 'member')
    return (
      <TextLink to="/w/$workspace/settings/team-members" params={{ workspace }} search={{ search: name }}>
        {displayEmail(name)}
      </TextLink>
    )
  return <TitleWithName title={displayEmail(entry.targetName ?? name)} name={name} />
}

interface TitleWithNameProps {
  title: string
  /** Name or id, shown below another title. */
  name: string
  children?: ReactNode
}

const TitleWithName = ({ title, name, children }: TitleWithNameProps) => (
  <Stack gap={0} align="flex-start">
    {children || title}
    {title !== displayEmail(name) && (
      <Text size="xs" c="dimmed" ff="monospace">
        {name}
      </Text>
    )}
  </Stack>
)

interface Place {
  kind: 'collection' | 'api' | 'group' | 'member' | 'other'
  name: string
}

const kindsByAction: Readonly<Record<string, Place['kind']>> = {
  replaceDocuments: 'collection',
  deleteDocuments: 'collection',
  importDocuments: 'collection',
  saveDocument: 'collection',
  promoteGeneration: 'collection',
  rollBackGeneration: 'collection',
  setGroup: 'group',
  removeGroup: 'group',
  setMemberDefaults: 'group',
  setMember: 'member',
  removeMember: 'member',
  inviteMember: 'member',
}

const kindsBySection: Readonly<Record<string, Place['kind']>> = {
  collections: 'collection',
  apis: 'api',
}

/** An applied file has the one collection or API that it changes. */
const readPlace = (workspace: string, entry: AuditEntry): Place => {
  const paths = readChangedPaths(entry) ?? []
  const [first] = paths
  const kind = kindsBySection[first?.section ?? '']
  const isOne = paths.every(({ section, name }) => section === first?.section && name === first.name)
  if (kind && first?.name !== undefined && isOne) return { kind, name: first.name }
  return { kind: kindsByAction[entry.action] ?? 'other', name: entry.target || workspace }
}
