/** The sign-in log of a workspace, for its administrators, and of the server, for operators. */

import { Button, Group, Stack, Text } from '@mantine/core'
import { displayEmail } from '@querent/contract/email-address'
import type { SignInCounts } from '@querent/contract/manage'
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { management, readOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { Chart } from '#pages/usage/chart.tsx'
import { formatNumber } from '#pages/usage/formats.ts'
import type { Series } from '#pages/usage/series.ts'
import { DataTable } from '#ui/data-table.tsx'
import { TextLink } from '#ui/links.tsx'
import { LogEntries } from '#ui/log-entries.tsx'
import { Moment } from '#ui/moment.tsx'
import { Page } from '#ui/page.tsx'
import { PhoneFold, useIsPhone } from '#ui/phone-fold.tsx'
import type { Entry, ReadPage } from './export.ts'
import { Filter } from './filter.tsx'
import { describeMethod, describeResult } from './labels.ts'
import type { SignInSearch } from './search.ts'

const route = '/signed-in/w/$workspace/settings/sign-in-log'

export const WorkspaceSignInLog = () => {
  const { workspace } = useParams({ from: route })
  const search: SignInSearch = useSearch({ from: route })
  const navigate = useNavigate({ from: '/w/$workspace/settings/sign-in-log' })
  const params = { workspace }
  const { data: counts } = useQuery(readOperation('countSignIns', { params, query: { days: 30 } }))
  return (
    <SignInLog
      name={workspace}
      description={t(
        'Sign-ins to the applications of this workspace, and of its members to the console since they joined. Entries are kept for 90 days unless the operator chose otherwise.',
      )}
      search={search}
      onSearch={chosen => void navigate({ search: chosen, replace: true })}
      counts={counts}
      read={page => management.call('listSignIns', { params, query: { ...search, ...page } })}
      note={
        <TextLink to="/w/$workspace/refused" params={{ workspace }}>
          {t('Rejected queries of the last 24 hours')}
        </TextLink>
      }
    />
  )
}

const serverRoute = '/signed-in/server/sign-in-log'

export const ServerSignInLog = () => {
  const search: SignInSearch = useSearch({ from: serverRoute })
  const navigate = useNavigate({ from: '/server/sign-in-log' })
  const { data: counts } = useQuery(readOperation('countServerSignIns', { query: { days: 30 } }))
  return (
    <SignInLog
      name="server"
      description={t('Sign-ins to all applications of this server, and to the console.')}
      search={search}
      onSearch={chosen => void navigate({ search: chosen, replace: true })}
      counts={counts}
      read={page => management.call('listServerSignIns', { query: { ...search, ...page } })}
    />
  )
}

interface SignInLogProps {
  /** Part of the name of an exported file. */
  name: string
  description: string
  search: SignInSearch
  onSearch: (search: SignInSearch) => void
  counts: SignInCounts | undefined
  read: ReadPage
  note?: React.ReactNode
}

const series: Series<SignInCounts['points'][number]>[] = [
  {
    label: t('Succeeded'),
    color: { light: '#2b50c8', dark: '#8ca5f3' },
    format: value => formatNumber(value ?? 0),
    value: point => point.succeeded,
  },
  {
    label: t('Failed'),
    color: { light: '#b54708', dark: '#ffb066' },
    format: value => formatNumber(value ?? 0),
    value: point => point.failed,
  },
]

const SignInLog = ({ name, description, search, onSearch, counts, read, note }: SignInLogProps) => {
  const log = useInfiniteQuery({
    queryKey: ['signInLog', name, search],
    queryFn: ({ pageParam }) => read({ count: 50, ...(pageParam === '' ? {} : { after: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: last => last.next ?? undefined,
  })
  const exporting = useMutation({
    mutationFn: async (format: 'csv' | 'ndjson') => {
      const { saveEntries } = await import('./export.ts')
      return saveEntries(`sign-ins-${name}`, format, read)
    },
  })
  const isPhone = useIsPhone()
  const exportButtons = (
    <Group gap="xs">
      <Button variant="default" loading={exporting.isPending} onClick={() => exporting.mutate('csv')}>
        {t('Export as CSV')}
      </Button>
      <Button variant="default" loading={exporting.isPending} onClick={() => exporting.mutate('ndjson')}>
        {t('Export as NDJSON')}
      </Button>
    </Group>
  )
  return (
    <Page title={t('Sign-in log')} description={description} action={!isPhone && exportButtons}>
      <PhoneFold isFiltered={Object.keys(search).length > 0} actions={exportButtons}>
        {counts && (
          <Chart
            title={t('Sign-ins of the last 30 days')}
            kind="bars"
            series={series}
            summary={{ points: counts.points, step: 'day' }}
          />
        )}
        {note}
        <Filter key={JSON.stringify(search)} search={search} onChange={onSearch} />
      </PhoneFold>
      <LogEntries query={log} otherError={exporting.error}>
        {items => <Entries items={items} />}
      </LogEntries>
    </Page>
  )
}

const Entries = ({ items }: { items: Entry[] }) => (
  <DataTable
    caption={t('Sign-in log')}
    rows={items}
    rowKey={({ id }) => id}
    columns={[
      { heading: t('Time'), cell: ({ at }) => <Moment moment={at} isExact /> },
      { heading: t('Person'), cell: ({ user }) => displayEmail(user?.name ?? t('unknown')), isWhole: true },
      {
        heading: t('Result'),
        cell: entry => (
          <TwoLines
            first={
              <Text span size="sm" fw={entry.failed ? 600 : 400}>
                {entry.failed
                  ? t('Failed: {reason}', { reason: describeResult(entry) })
                  : describeResult(entry)}
              </Text>
            }
            second={describeMethod(entry)}
          />
        ),
      },
      {
        heading: t('Application'),
        cell: ({ application, workspace }) => (
          <TwoLines first={application?.name ?? t('none')} second={workspace ?? undefined} />
        ),
      },
      {
        heading: t('From'),
        cell: ({ address, browser, system }) => (
          <TwoLines first={address} second={[browser, system].filter(Boolean).join(', ') || undefined} />
        ),
      },
    ]}
  />
)

const TwoLines = ({ first, second }: { first: React.ReactNode; second: string | undefined }) => (
  <Stack gap={0}>
    <span>{first}</span>
    {second !== undefined && (
      <Text span size="xs" c="dimmed">
        {second}
      </Text>
    )}
  </Stack>
)
