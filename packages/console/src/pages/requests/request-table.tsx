/** Requests with their time, question and answer. */
import { Stack, Text } from '@mantine/core'
import { checkNames } from '@querent/contract/manage'
import { dateLocale, t, tCount } from '#i18n/translate.ts'
import { labelFailedCheck } from '#pages/refused/check-labels.ts'
import { formatMs } from '#pages/usage/formats.ts'
import { type Column, DataTable } from '#ui/data-table.tsx'
import { TextLink } from '#ui/links.tsx'
import { describeSteps, type RequestGroup, writeTryItStack } from './describe-request.ts'

interface RequestTableProps {
  workspace: string
  items: readonly RequestGroup[]
  hasAccounts: boolean
}

const timeFormat = new Intl.DateTimeFormat(dateLocale, { timeStyle: 'medium' })
const exactFormat = new Intl.DateTimeFormat(dateLocale, { dateStyle: 'full', timeStyle: 'long' })

export const RequestTable = ({ workspace, items, hasAccounts }: RequestTableProps) => {
  const accounts: Column<RequestGroup> = {
    heading: t('Account'),
    cell: ({ account }) => account?.name ?? '',
  }
  return (
    <DataTable
      caption={t('Requests')}
      rows={items.map((item, index) => ({ ...item, index }))}
      rowKey={({ at, index }) => `${at} ${items.length - index}`}
      columns={[
        {
          heading: t('Time'),
          cell: ({ at }) => (
            <time dateTime={at} title={exactFormat.format(new Date(at))}>
              {timeFormat.format(new Date(at))}
            </time>
          ),
          isWhole: true,
        },
        { heading: t('Request'), cell: item => <Question workspace={workspace} item={item} /> },
        { heading: t('Answer'), cell: item => <Answer workspace={workspace} item={item} /> },
        { heading: t('Duration'), cell: ({ ms }) => (ms === null ? '' : formatMs(ms)), isWhole: true },
        ...(hasAccounts ? [accounts] : []),
      ]}
    />
  )
}

interface PartProps {
  workspace: string
  item: RequestGroup
}

const Question = ({ workspace, item }: PartProps) => {
  const [first = '', ...filters] = describeSteps(item)
  const stack = writeTryItStack(item)
  return (
    <Stack gap={0} align="flex-start">
      {stack === undefined ? (
        <span>{first === '' ? item.api || '–' : first}</span>
      ) : (
        <TextLink to="/w/$workspace/apis/$api" params={{ workspace, api: item.api }} search={{ stack }}>
          {first}
        </TextLink>
      )}
      <Text span size="xs" c="dimmed">
        {[
          ...filters,
          ...(first === '' ? [] : [item.api]),
          ...(item.facet === null ? [] : [t('values of {facet}', { facet: item.facet })]),
          ...(item.requestCount > 1
            ? [
                item.hasFacets
                  ? t('{count} requests with the facets', { count: item.requestCount })
                  : tCount(item.requestCount, '{count} request', '{count} requests'),
              ]
            : []),
        ].join(' · ')}
      </Text>
    </Stack>
  )
}

const Answer = ({ workspace, item: { kind, code, message, total, totalRelation, requestId } }: PartProps) => {
  if (kind === 'query') {
    if (code !== null)
      return (
        <Stack gap={0} align="flex-start">
          <Text span c="red" size="sm">
            {t('Failed: {code}', { code })}
          </Text>
          {message !== null && (
            // The server writes English.
            <Text span size="xs" lang="en">
              {message}
            </Text>
          )}
          {requestId !== null && (
            <Text span size="xs" c="dimmed">
              {t('Request ID {requestId}', { requestId })}
            </Text>
          )}
        </Stack>
      )
    if (total === null) return t('The client had it already')
    if (totalRelation === 'gte') return tCount(total, 'At least {count} result', 'At least {count} results')
    return total === 0 ? t('No results') : tCount(total, '{count} result', '{count} results')
  }
  const check = checkNames.find(name => name === code)
  const reason = check === undefined ? '' : labelFailedCheck(check, message ?? '')
  if (requestId === null) return reason
  return (
    <TextLink to="/w/$workspace/refused" params={{ workspace }} search={{ request: requestId }}>
      {t('Refused: {reason}', { reason })}
    </TextLink>
  )
}
