/** Server > Audit log: what was done to the server and in all of its workspaces. */
import { Box, Text } from '@mantine/core'
import { displayEmail } from '@querent/contract/email-address'
import type { ServerAuditEntry } from '@querent/contract/manage'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { management } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { Actor } from '#pages/audit-log/actor.tsx'
import { AuditPage } from '#pages/audit-log/audit-page.tsx'
import { describeAction } from '#pages/audit-log/describe-action.ts'
import { detailLines, readEdits } from '#pages/audit-log/details.ts'
import { groupEntries, readIds } from '#pages/audit-log/group-entries.ts'
import type { AuditSearch } from '#pages/audit-log/search.ts'
import { DataTable } from '#ui/data-table.tsx'
import { TextLink } from '#ui/links.tsx'
import { LogEntries } from '#ui/log-entries.tsx'
import { Moment } from '#ui/moment.tsx'

const Changes = lazy(async () => ({ default: (await import('#ui/changes.tsx')).Changes }))

export const ServerAuditLog = () => {
  const search: AuditSearch = useSearch({ from: '/signed-in/server/audit-log' })
  const navigate = useNavigate({ from: '/server/audit-log' })
  const log = useInfiniteQuery({
    queryKey: ['listServerAudit', search],
    queryFn: ({ pageParam }) =>
      management.call('listServerAudit', {
        query: { ...search, count: 50, ...(pageParam === '' ? {} : { after: pageParam }) },
      }),
    initialPageParam: '',
    getNextPageParam: last => last.next ?? undefined,
  })
  return (
    <AuditPage
      workspace={undefined}
      description={t('Changes of this server and in all of its workspaces.')}
      search={search}
      onApply={next => navigate({ search: next })}
    >
      {exportError => (
        <LogEntries query={log} otherError={exportError}>
          {items => <Entries items={items} />}
        </LogEntries>
      )}
    </AuditPage>
  )
}

const Entries = ({ items }: { items: ServerAuditEntry[] }) => (
  <DataTable
    caption={t('Audit log')}
    rows={groupEntries(items)}
    rowKey={({ id }) => id}
    columns={[
      { heading: t('Time'), cell: ({ at }) => <Moment moment={at} isExact /> },
      { heading: t('Actor'), cell: entry => <Actor {...entry} />, isWhole: 'narrow' },
      { heading: t('Workspace'), cell: ({ workspace }) => <WorkspaceLink workspace={workspace} /> },
      { heading: t('Action'), cell: describeAction },
      { heading: t('Target'), cell: entry => <Target {...entry} />, isWhole: true },
      { heading: t('Details'), cell: entry => <Details {...entry} /> },
    ]}
  />
)

/** Leads to the log of the workspace, which has links and changes in sentences. */
const WorkspaceLink = ({ workspace }: Pick<ServerAuditEntry, 'workspace'>) =>
  workspace === null ? (
    '–'
  ) : (
    <TextLink to="/w/$workspace/settings/audit-log" params={{ workspace }}>
      {workspace}
    </TextLink>
  )

const actionsOnPeople: readonly string[] = ['createUser', 'updateUser', 'resetPassword', 'removeFactors']

const Target = ({ action, target, targetName }: ServerAuditEntry) =>
  actionsOnPeople.includes(action) ? (
    <TextLink to="/server/people/$email" params={{ email: target }}>
      {displayEmail(target)}
    </TextLink>
  ) : (
    <span style={{ overflowWrap: 'anywhere' }}>{displayEmail(targetName ?? target)}</span>
  )

/** Without titles of documents and links to them: an operator may have no right to read what a workspace has. */
const Details = (entry: ServerAuditEntry) => {
  const edits = readEdits(entry)
  if (edits)
    return (
      <Box className="log-changes">
        <Suspense>
          <Changes workspace={undefined} changes={edits} />
        </Suspense>
      </Box>
    )
  const ids = readIds(entry)
  const lines = [...detailLines(entry), ...(ids.length > 0 ? [ids.join(', ')] : [])]
  return lines.map(line => (
    <Text key={line} size="sm" className="log-line" lineClamp={4} style={{ overflowWrap: 'anywhere' }}>
      {line}
    </Text>
  ))
}
