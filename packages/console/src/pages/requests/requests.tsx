/** The latest queries and refusals of a workspace, as they come. */
import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import type { OperationReply } from '@querent/contract/manage'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { readOperation } from '#api/manage.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { t, tCount, tNodes } from '#i18n/translate.ts'
import { Empty } from '#ui/empty.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { TextLink } from '#ui/links.tsx'
import { Loading } from '#ui/loading.tsx'
import { Page } from '#ui/page.tsx'
import { PhoneFold } from '#ui/phone-fold.tsx'
import { countSearches, describeSteps, groupRequests, readOutcome } from './describe-request.ts'
import { RequestTable } from './request-table.tsx'
import type { RequestsSearch } from './search.ts'

type Reply = OperationReply<'listLiveRequests'>

const everyMs = 3000

export const Requests = () => {
  const { workspace } = useParams({ from: '/signed-in/w/$workspace/requests' })
  const search = useSearch({ from: '/signed-in/w/$workspace/requests' })
  const { may } = useWorkspaceAccess(workspace)
  const [isPaused, setPaused] = useState(false)
  const { data, error } = useQuery({
    ...readOperation('listLiveRequests', { params: { workspace } }),
    refetchInterval: isPaused ? false : everyMs,
    staleTime: 0,
  })
  const notes = data && <Notes workspace={workspace} reply={data} isAdministrator={may('administer')} />
  return (
    <Page
      title={t('Requests')}
      description={t(
        'The last 500 queries and refused requests, newest first. The server keeps queries in its memory only.',
      )}
      action={
        <Button
          variant="default"
          leftSection={isPaused ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
          onClick={() => setPaused(!isPaused)}
        >
          {isPaused ? t('Continue') : t('Pause')}
        </Button>
      }
    >
      {error && <ErrorNote error={error} />}
      {!data && !error && <Loading />}
      {data && (
        <Stack gap="md">
          <PhoneFold isFiltered={Object.values(search).some(value => value !== undefined)}>
            <Filter search={search} items={data.items} />
          </PhoneFold>
          {notes}
          <List workspace={workspace} items={data.items} search={search} hasAccounts={may('administer')} />
        </Stack>
      )}
    </Page>
  )
}

interface ListProps {
  workspace: string
  items: Reply['items']
  search: RequestsSearch
  hasAccounts: boolean
}

const List = ({ workspace, items, search, hasAccounts }: ListProps) => {
  const matches = groupRequests(items.filter(item => isMatch(item, search)))
  const requestCount = matches.reduce((sum, group) => sum + group.requestCount, 0)
  const searchCount = countSearches(matches)
  if (items.length === 0)
    return <Empty title={t('No requests yet')}>{t('They appear here as soon as they come.')}</Empty>
  if (matches.length === 0) return <Empty title={t('No requests found')}>{t('Try other filters.')}</Empty>
  return (
    <>
      <Text size="sm" c="dimmed">
        {[
          ...(searchCount > 0 ? [tCount(searchCount, '{count} search', '{count} searches')] : []),
          tCount(requestCount, '{count} request', '{count} requests'),
        ].join(' · ')}
      </Text>
      <RequestTable workspace={workspace} items={matches} hasAccounts={hasAccounts} />
    </>
  )
}

const isMatch = (item: Reply['items'][number], { outcome, api, text }: RequestsSearch): boolean => {
  if (outcome !== undefined && readOutcome(item) !== outcome) return false
  if (api !== undefined && item.api !== api) return false
  if (text === undefined) return true
  const { account, code, message, requestId } = item
  const texts = [...describeSteps(item), account?.name ?? '', code ?? '', message ?? '', requestId ?? '']
  return texts.some(part => part.toLowerCase().includes(text.toLowerCase()))
}

const Filter = ({ search, items }: { search: RequestsSearch; items: Reply['items'] }) => {
  const navigate = useNavigate({ from: '/w/$workspace/requests' })
  const change = (changed: RequestsSearch) =>
    navigate({ search: { ...search, ...changed }, replace: true, resetScroll: false })
  const apis = new Set([...items.map(({ api }) => api), search.api ?? ''].filter(api => api !== ''))
  return (
    <Group align="flex-end" gap="md">
      <TextInput
        type="search"
        label={t('Filter')}
        miw={{ sm: 300 }}
        placeholder={t('Text, account, reason or request ID')}
        value={search.text ?? ''}
        onChange={({ currentTarget }) => change({ text: currentTarget.value || undefined })}
      />
      <NativeSelect
        label={t('Answer')}
        value={search.outcome ?? ''}
        onChange={({ currentTarget }) =>
          change({ outcome: (currentTarget.value || undefined) as RequestsSearch['outcome'] })
        }
        data={[
          { value: '', label: t('All') },
          { value: 'found', label: t('With results') },
          { value: 'empty', label: t('Without results') },
          { value: 'failed', label: t('Failed') },
          { value: 'refused', label: t('Refused') },
        ]}
      />
      <NativeSelect
        label={t('API')}
        value={search.api ?? ''}
        onChange={({ currentTarget }) => change({ api: currentTarget.value || undefined })}
        data={[{ value: '', label: t('All APIs') }, ...apis]}
      />
    </Group>
  )
}

interface NotesProps {
  workspace: string
  reply: Reply
  isAdministrator: boolean
}

/** Says in a line each what the list can't show. */
const Notes = ({ workspace, reply: { answersQueries, parameters }, isAdministrator }: NotesProps) => (
  <Stack gap={2}>
    {!answersQueries && (
      <Text size="sm" c="dimmed">
        {t('Other nodes answer the queries of this server, so that only refused requests are listed here.')}
      </Text>
    )}
    {parameters !== 'full' && (
      <Text size="sm" c="dimmed">
        {parameters === 'off'
          ? t('The query log is off, so the list has no search texts, and Try it cannot open these searches.')
          : t(
              'The query log stores hashes only, so the list has no search texts, and Try it cannot open these searches.',
            )}{' '}
        {isAdministrator &&
          tNodes('Change this in the {settings}.', {
            settings: (
              <TextLink to="/w/$workspace/settings/general" params={{ workspace }}>
                {t('general settings')}
              </TextLink>
            ),
          })}
      </Text>
    )}
  </Stack>
)
