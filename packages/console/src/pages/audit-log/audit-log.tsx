/** Settings > Audit log. */

import { Box, Text } from '@mantine/core'
import type { AuditEntry } from '@querent/contract/manage'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Fragment, lazy, Suspense } from 'react'
import { management } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { DataTable } from '#ui/data-table.tsx'
import { LogEntries } from '#ui/log-entries.tsx'
import { Moment } from '#ui/moment.tsx'
import { Actor } from './actor.tsx'
import { AuditPage } from './audit-page.tsx'
import { describeAction } from './describe-action.ts'
import { detailLines, readEdits } from './details.ts'
import { groupEntries, readIds } from './group-entries.ts'
import type { AuditSearch } from './search.ts'
import { Target } from './target.tsx'

const Changes = lazy(async () => ({ default: (await import('#ui/changes.tsx')).Changes }))

const StoredDocument = lazy(async () => ({
  default: (await import('./stored-document.tsx')).StoredDocument,
}))

const route = '/signed-in/w/$workspace/settings/audit-log'

export const AuditLog = () => {
  const { workspace } = useParams({ from: route })
  const search: AuditSearch = useSearch({ from: route })
  const navigate = useNavigate({ from: '/w/$workspace/settings/audit-log' })
  const log = useInfiniteQuery({
    queryKey: ['listAudit', workspace, search],
    queryFn: ({ pageParam }) =>
      management.call('listAudit', {
        params: { workspace },
        query: { ...search, count: 50, ...(pageParam === '' ? {} : { after: pageParam }) },
      }),
    initialPageParam: '',
    getNextPageParam: last => last.next ?? undefined,
  })
  return (
    <AuditPage
      workspace={workspace}
      description={t(
        'Changes in this workspace: actor, action, target and IP address. The export has the details as JSON.',
      )}
      search={search}
      onApply={next => navigate({ search: next })}
    >
      {exportError => (
        <LogEntries query={log} otherError={exportError}>
          {items => <Entries workspace={workspace} items={items} />}
        </LogEntries>
      )}
    </AuditPage>
  )
}

const Entries = ({ workspace, items }: { workspace: string; items: AuditEntry[] }) => (
  <DataTable
    caption={t('Audit log')}
    rows={groupEntries(items)}
    rowKey={({ id }) => id}
    columns={[
      { heading: t('Time'), cell: ({ at }) => <Moment moment={at} isExact /> },
      { heading: t('Actor'), cell: entry => <Actor {...entry} />, isWhole: 'narrow' },
      {
        heading: t('Action'),
        cell: describeAction,
      },
      {
        heading: t('Target'),
        cell: entry => <Target workspace={workspace} entry={entry} />,
        isWhole: true,
      },
      {
        heading: t('Details'),
        cell: entry => <Details workspace={workspace} entry={entry} />,
      },
    ]}
  />
)

/** The changes in sentences, or a line for each value that changed. */
const Details = ({ workspace, entry }: { workspace: string; entry: AuditEntry }) => {
  const edits = readEdits(entry)
  if (edits)
    return (
      <Box className="log-changes">
        <Suspense>
          <Changes workspace={workspace} changes={edits} />
        </Suspense>
      </Box>
    )
  const ids = readIds(entry)
  return (
    <>
      {detailLines(entry).map(line => (
        <Text key={line} size="sm" className="log-line" style={{ overflowWrap: 'anywhere' }}>
          {line}
        </Text>
      ))}
      {ids.length > 0 && (
        <Text size="sm" className="log-line" style={{ overflowWrap: 'anywhere' }}>
          <Documents workspace={workspace} entry={entry} ids={ids} />
        </Text>
      )}
    </>
  )
}

const idsShown = 10

interface DocumentsProps {
  workspace: string
  entry: AuditEntry
  ids: readonly string[]
}

/** The documents of an entry by their titles. The log has no content of documents, so deleted ones have their ids. */
const Documents = ({ workspace, entry: { action, target }, ids }: DocumentsProps) => (
  <>
    {ids.slice(0, idsShown).map((id, index) => (
      <Fragment key={id}>
        {index > 0 && ', '}
        {action === 'deleteDocuments' ? (
          id
        ) : (
          <Suspense fallback={id}>
            <StoredDocument workspace={workspace} collection={target} id={id} />
          </Suspense>
        )}
      </Fragment>
    ))}
    {ids.length > idsShown && ` ${t('and {count} more', { count: ids.length - idsShown })}`}
  </>
)
