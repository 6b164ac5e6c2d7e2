/** The rejected requests of a workspace, for administrators. */
import { NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core'
import { checkNames, type RefusalGroup } from '@querent/contract/manage'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { readOperation } from '#api/manage.ts'
import { t, tCount } from '#i18n/translate.ts'
import { DataTable } from '#ui/data-table.tsx'
import { Empty } from '#ui/empty.tsx'
import { FilterForm } from '#ui/filter-form.tsx'
import { TextLink } from '#ui/links.tsx'
import { Moment } from '#ui/moment.tsx'
import { countedCheckLabels, labelFailedCheck } from './check-labels.ts'
import { CheckSentence } from './check-sentence.tsx'
import { type RefusalSearch, readRefusalSearch } from './search.ts'

interface RecentRefusalsProps {
  workspace: string
  search: RefusalSearch
}

export const RecentRefusals = ({ workspace, search }: RecentRefusalsProps) => {
  const { account, reason } = search
  const query = { ...(account === undefined ? {} : { account }), ...(reason === undefined ? {} : { reason }) }
  const { data } = useSuspenseQuery({
    ...readOperation('listRefusals', { params: { workspace }, query }),
    staleTime: 0,
  })
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {t('Recent refusals')}
      </Title>
      <Text c="dimmed" size="sm">
        {t('Rejected requests of the last 24 hours, by account and reason. A flood is recorded in part.')}{' '}
        <TextLink to="/w/$workspace/settings/sign-in-log" params={{ workspace }}>
          {t('Rejected sign-ins')}
        </TextLink>
      </Text>
      <Filter key={JSON.stringify(query)} search={search} />
      {data.items.length === 0 ? (
        <Empty title={account || reason ? t('No refusals found') : t('No refusals')}>
          {account || reason
            ? t('Try other filters.')
            : t('No request to this workspace was rejected in the last 24 hours.')}
        </Empty>
      ) : (
        <Groups workspace={workspace} groups={data.items} search={search} />
      )}
    </Stack>
  )
}

interface GroupsProps extends RecentRefusalsProps {
  groups: readonly RefusalGroup[]
}

const Groups = ({ workspace, groups, search }: GroupsProps) => (
  <DataTable
    caption={t('Recent refusals')}
    rows={groups}
    rowKey={({ requestId }) => requestId}
    columns={[
      { heading: t('Last seen'), cell: ({ lastAt }) => <Moment moment={lastAt} /> },
      {
        heading: t('Times'),
        cell: ({ count }) => tCount(count, '{count} time', '{count} times'),
        isWhole: true,
      },
      {
        heading: t('Who'),
        cell: ({ account, client }) => (
          <Stack gap={0}>
            <span>{account?.name ?? t('unknown')}</span>
            {client && client.name !== account?.name && (
              <Text span size="xs" c="dimmed">
                {t('through {client}', { client: client.name })}
              </Text>
            )}
          </Stack>
        ),
      },
      {
        heading: t('Why'),
        cell: ({ reason, message, status }) => (
          <Stack gap={0}>
            <span>{labelFailedCheck(reason, message)}</span>
            <Text span size="xs" c="dimmed">
              {status}, <CheckSentence>{message}</CheckSentence>
            </Text>
          </Stack>
        ),
      },
      {
        heading: '',
        cell: ({ requestId, account }) => (
          <TextLink
            to="/w/$workspace/refused"
            params={{ workspace }}
            search={{ ...search, request: requestId }}
            resetScroll
            aria-label={t('Explain the refusal of {account}', { account: account?.name ?? t('unknown') })}
          >
            {t('Explain')}
          </TextLink>
        ),
      },
    ]}
  />
)

const Filter = ({ search }: { search: RefusalSearch }) => {
  const [account, setAccount] = useState(search.account ?? '')
  const [reason, setReason] = useState<string>(search.reason ?? '')
  const navigate = useNavigate({ from: '/w/$workspace/refused' })
  const apply = () =>
    navigate({ search: readRefusalSearch({ account: account.trim(), reason }), replace: true })
  return (
    <FilterForm onSubmit={apply}>
      <TextInput
        label={t('Account')}
        placeholder={t('E-mail, name or ID')}
        maxLength={254}
        value={account}
        onChange={event => setAccount(event.currentTarget.value)}
      />
      <NativeSelect
        label={t('Reason')}
        value={reason}
        onChange={event => setReason(event.currentTarget.value)}
        data={[
          { value: '', label: t('All') },
          ...checkNames.map(name => ({ value: name, label: countedCheckLabels[name] })),
        ]}
      />
    </FilterForm>
  )
}
