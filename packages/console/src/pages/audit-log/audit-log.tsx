/** Settings > Audit log. */

import { Box, Button, Select, Stack, Text, TextInput } from '@mantine/core'
import { displayEmail } from '@querent/contract/email-address'
import type { AuditEntry } from '@querent/contract/manage'
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Fragment, lazy, Suspense, useState } from 'react'
import { management } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { DataTable } from '#ui/data-table.tsx'
import { FilterForm, SinceInput, startOfDay } from '#ui/filter-form.tsx'
import { LogEntries } from '#ui/log-entries.tsx'
import { Moment } from '#ui/moment.tsx'
import { Page } from '#ui/page.tsx'
import { PhoneFold, useIsPhone } from '#ui/phone-fold.tsx'
import { actions } from './actions.ts'
import { describeAction } from './describe-action.ts'
import { detailLines, readEdits, readProvider } from './details.ts'
import { groupEntries, readIds } from './group-entries.ts'
import { type AuditSearch, readAuditSearch } from './search.ts'
import { Target } from './target.tsx'

const Changes = lazy(async () => ({ default: (await import('#ui/changes.tsx')).Changes }))

const StoredDocument = lazy(async () => ({
  default: (await import('./stored-document.tsx')).StoredDocument,
}))

const route = '/signed-in/w/$workspace/settings/audit-log'

export const AuditLog = () => {
  const { workspace } = useParams({ from: route })
  const search: AuditSearch = useSearch({ from: route })
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
  const exporting = useMutation({
    mutationFn: async () => {
      const { saveAsCsv } = await import('./export.ts')
      return saveAsCsv(workspace, search)
    },
  })
  const isPhone = useIsPhone()
  const exportButton = (
    <Button variant="default" loading={exporting.isPending} onClick={() => exporting.mutate()}>
      {t('Export as CSV')}
    </Button>
  )
  return (
    <Page
      title={t('Audit log')}
      description={t(
        'Changes in this workspace: actor, action, target and IP address. The export has the details as JSON.',
      )}
      action={!isPhone && exportButton}
    >
      <PhoneFold isFiltered={Object.keys(search).length > 0} actions={exportButton}>
        <Filter key={JSON.stringify(search)} search={search} />
      </PhoneFold>
      <LogEntries query={log} otherError={exporting.error}>
        {items => <Entries workspace={workspace} items={items} />}
      </LogEntries>
    </Page>
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

/**
 * With the IP address, so that the table fits. Administrators choose their provider, and so whom it speaks for: readers must see that it
 * signed the actor in.
 */
const Actor = (entry: AuditEntry) => {
  const provider = readProvider(entry)
  return (
    <Stack gap={0}>
      <ActorName actor={entry.actor} />
      {provider !== undefined && (
        <Text size="xs" c="dimmed">
          {t('signed in by {provider}', { provider })}
        </Text>
      )}
      <Text size="xs" c="dimmed" component="span">
        {entry.address}
      </Text>
    </Stack>
  )
}

/** The server names a registration token by its id, whose beginning is enough to tell it from others. */
const ActorName = ({ actor }: Pick<AuditEntry, 'actor'>) => {
  const tokenId = /^registration token (\S+)$/.exec(actor)?.[1]
  if (tokenId === undefined) return displayEmail(actor)
  return (
    <>
      {t('Registration token')}
      <Text size="xs" c="dimmed" ff="monospace" title={tokenId}>
        {tokenId.slice(0, 8)}…
      </Text>
    </>
  )
}

const Filter = ({ search }: { search: AuditSearch }) => {
  const navigate = useNavigate({ from: '/w/$workspace/settings/audit-log' })
  const [action, setAction] = useState(search.action ?? null)
  const [actor, setActor] = useState(search.actor ?? '')
  const [day, setDay] = useState(search.from?.slice(0, 10) ?? '')
  const apply = () =>
    navigate({ search: readAuditSearch({ action, actor: actor.trim(), from: startOfDay(day) }) })
  return (
    <FilterForm onSubmit={apply}>
      <Select
        label={t('Action')}
        data={actions}
        value={action}
        onChange={setAction}
        clearable
        searchable
        placeholder={t('Any action')}
      />
      <TextInput
        label={t('Actor')}
        placeholder={t('E-mail, name or ID')}
        value={actor}
        onChange={event => setActor(event.currentTarget.value)}
      />
      <SinceInput day={day} onChange={setDay} />
    </FilterForm>
  )
}
