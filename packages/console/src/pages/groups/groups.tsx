/** Settings > Groups: rights that people get by team, and the defaults of members. */
import { Group, Stack, Text, Title } from '@mantine/core'
import { displayEmail } from '@querent/contract/email-address'
import type { AccessKey, Member, MemberDefaults, NamedGroup } from '@querent/contract/manage'
import { groupPrefix } from '@querent/contract/preview-headers'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazy } from 'react'
import { readOperation, useOperation } from '#api/manage.ts'
import { t, tNodes } from '#i18n/translate.ts'
import { ClosedCollections } from '#ui/closed-collections.tsx'
import { ConfirmButton } from '#ui/confirm-button.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { DialogButton } from '#ui/dialog-button.tsx'
import { Empty } from '#ui/empty.tsx'
import { Facts } from '#ui/facts.tsx'
import { FilterInWords } from '#ui/filter-in-words.tsx'
import { TextLink } from '#ui/links.tsx'
import { findGrants, findOpenApis, type Grant } from '#ui/member-groups.ts'
import { Page } from '#ui/page.tsx'

const GroupDialog = lazy(async () => ({ default: (await import('./group-dialog.tsx')).GroupDialog }))
const DefaultsDialog = lazy(async () => ({ default: (await import('./defaults-dialog.tsx')).DefaultsDialog }))

export const Groups = () => {
  const { workspace } = useParams({ from: '/signed-in/w/$workspace/settings/groups' })
  const { data } = useSuspenseQuery(readOperation('listGroups', { params: { workspace } }))
  const { items: groups, memberDefaults } = data
  return (
    <Page
      title={t('Groups')}
      description={t('Rights for teams. Members see everything that one of their groups opens.')}
      action={
        <DialogButton label={t('Create group')} hash="create-group">
          {dialog => (
            <GroupDialog {...dialog} workspace={workspace} groups={groups} memberDefaults={memberDefaults} />
          )}
        </DialogButton>
      }
    >
      {groups.length === 0 ? (
        <Empty title={t('No groups yet')}>
          {t(
            'A group opens documents, APIs or collections for a team. Choose the groups of each member in Team Members, or let a provider name them.',
          )}
        </Empty>
      ) : (
        <GroupTable workspace={workspace} groups={groups} memberDefaults={memberDefaults} />
      )}
      <Defaults workspace={workspace} memberDefaults={memberDefaults} />
      <Text size="sm" c="dimmed">
        {tNodes(
          'A field for some groups only, or documents that name their readers: {data}, the collection, Fields.',
          {
            data: (
              <TextLink key="data" to="/w/$workspace/data" params={{ workspace }}>
                {t('Data')}
              </TextLink>
            ),
          },
        )}
      </Text>
    </Page>
  )
}

interface GroupTableProps {
  workspace: string
  groups: readonly NamedGroup[]
  memberDefaults: MemberDefaults
}

const GroupTable = ({ workspace, groups, memberDefaults }: GroupTableProps) => {
  const remove = useOperation('removeGroup')
  const titles = useTitles(workspace)
  const { data: members } = useQuery(
    readOperation('listMembers', { params: { workspace }, query: { count: 1000 } }),
  )
  const { data: collections } = useQuery(readOperation('listCollections', { params: { workspace } }))
  return (
    <DataTable
      caption={t('Groups')}
      rows={groups}
      rowKey={({ group }) => group}
      columns={[
        { heading: t('Name'), cell: group => <GroupName {...group} /> },
        {
          heading: t('Members'),
          isWhole: true,
          cell: ({ group }) =>
            members && (
              <GroupMembers members={members.items} group={group} mayHaveMore={members.next !== null} />
            ),
        },
        {
          heading: t('Document access'),
          cell: ({ group, filter }) =>
            filter ? (
              <>
                <FilterInWords workspace={workspace} filter={filter} />{' '}
                <GroupPreview workspace={workspace} group={group} />
                <ClosedCollections collections={collections?.items ?? []} fields={Object.keys(filter)} />
              </>
            ) : (
              '–'
            ),
        },
        { heading: t('APIs'), cell: ({ apis }) => describeNames(apis, titles.apis) ?? '–' },
        {
          heading: t('Collections'),
          cell: group => describeNames(group.collections, titles.collections) ?? '–',
        },
        { heading: t('Limits'), cell: ({ limits }) => describeLimits(limits) ?? '–' },
        {
          heading: '',
          cell: group => {
            const name = group.title ?? group.group
            return (
              <Group gap={4} wrap="nowrap" justify="flex-end">
                <DialogButton
                  label={t('Edit')}
                  description={t('Edit {name}', { name })}
                  size="compact-sm"
                  variant="subtle"
                >
                  {dialog => (
                    <GroupDialog
                      {...dialog}
                      workspace={workspace}
                      groups={groups}
                      memberDefaults={memberDefaults}
                      group={group}
                    />
                  )}
                </DialogButton>
                <ConfirmButton
                  label={t('Delete')}
                  description={t('Delete {name}', { name })}
                  question={t('Delete {name}?', { name })}
                  onConfirm={() => remove.mutateAsync({ params: { workspace, group: group.group } })}
                >
                  {t('You can delete it once no member, invitation, provider or field uses it.')}
                </ConfirmButton>
              </Group>
            )
          },
        },
      ]}
    />
  )
}

/** Links to "Try it" with what somebody in this group only sees. */
const GroupPreview = ({ workspace, group }: { workspace: string; group: string }) => {
  const { data } = useQuery(readOperation('listApis', { params: { workspace } }))
  const { data: groups } = useQuery(readOperation('listGroups', { params: { workspace } }))
  const [api] = data && groups ? findOpenApis(data.items, { groups: [group] }, groups) : []
  return (
    api && (
      <TextLink
        to="/w/$workspace/apis/$api"
        params={{ workspace, api: api.api }}
        search={{ as: `${groupPrefix}${group}` }}
        size="sm"
      >
        {t('Preview as this group')}
      </TextLink>
    )
  )
}

const GroupName = ({ group, title }: Pick<NamedGroup, 'group' | 'title'>) => (
  <Stack gap={0}>
    {title ?? group}
    {title !== undefined && (
      <Text size="xs" c="dimmed" ff="monospace">
        {group}
      </Text>
    )}
  </Stack>
)

const namesShown = 3

interface GroupMembersProps {
  members: readonly Member[]
  group: string
  /** Whether the list of members is not whole. */
  mayHaveMore: boolean
}

/** The first members of a group with its ends, and how many there are. */
const GroupMembers = ({ members, group, mayHaveMore }: GroupMembersProps) => {
  const granted = members.flatMap(member => {
    const grant = findGrants(member).find(({ name }) => name === group)
    return grant ? [{ member, grant }] : []
  })
  if (granted.length === 0 && !mayHaveMore) return t('none')
  const moreCount = granted.length - namesShown
  return (
    <Stack gap={0}>
      {granted.slice(0, namesShown).map(({ member, grant }) => (
        <span key={member.email ?? member.clientId}>{describeHolder(member, grant)}</span>
      ))}
      {moreCount > 0 && <span>{t('and {count} more', { count: moreCount })}</span>}
      {mayHaveMore && (
        <Text size="xs" c="dimmed">
          {t('of the first 1,000 members')}
        </Text>
      )}
    </Stack>
  )
}

const describeHolder = ({ email, name }: Member, { until, hasEnded }: Grant): string => {
  const holder = email === undefined ? name : displayEmail(email)
  if (until === undefined) return holder
  return hasEnded
    ? t('{holder} (ended {until})', { holder, until })
    : t('{holder} until {until}', { holder, until })
}

/** Titles by name. */
const useTitles = (workspace: string): Record<AccessKey, ReadonlyMap<string, string>> => {
  const params = { workspace }
  const { data: apis } = useQuery(readOperation('listApis', { params }))
  const { data: collections } = useQuery(readOperation('listCollections', { params }))
  return {
    apis: new Map(apis?.items.map(({ api, title }) => [api, title])),
    collections: new Map(collections?.items.map(({ collection, title }) => [collection, title])),
  }
}

const describeNames = (
  names: 'all' | string[] | undefined,
  titles: ReadonlyMap<string, string>,
): string | undefined => {
  if (names === undefined) return undefined
  if (names === 'all') return t('all')
  return names.length === 0 ? t('none') : names.map(name => titles.get(name) ?? name).join(', ')
}

const describeLimits = (limits: NamedGroup['limits']): string | undefined => {
  if (!limits) return undefined
  const { perMinute, atOnce } = limits
  return [
    perMinute === undefined ? undefined : t('{count} a minute', { count: perMinute }),
    atOnce === undefined ? undefined : t('{count} at once', { count: atOnce }),
  ]
    .filter(part => part !== undefined)
    .join(', ')
}

const Defaults = ({ workspace, memberDefaults }: Pick<GroupTableProps, 'workspace' | 'memberDefaults'>) => {
  const { filter, apis, collections } = memberDefaults
  const titles = useTitles(workspace)
  const unset = t('not set')
  return (
    <Stack gap="sm" align="flex-start">
      <Group gap="xs">
        <Title order={2} size="h4">
          {t('Defaults of members')}
        </Title>
        <DialogButton
          label={t('Edit')}
          description={t('Edit the defaults of members')}
          size="compact-sm"
          variant="subtle"
        >
          {dialog => <DefaultsDialog {...dialog} workspace={workspace} memberDefaults={memberDefaults} />}
        </DialogButton>
      </Group>
      <Text size="sm" c="dimmed" maw={700}>
        {t(
          'They apply to members who have no rights of their own and no group. Each right that a group limits needs a default: that is what somebody sees who leaves the group.',
        )}
      </Text>
      <Facts
        facts={[
          [
            t('Document access'),
            filter ? <FilterInWords key="filter" workspace={workspace} filter={filter} /> : unset,
          ],
          [t('APIs'), describeNames(apis, titles.apis) ?? unset],
          [t('Collections'), describeNames(collections, titles.collections) ?? unset],
        ]}
      />
    </Stack>
  )
}
