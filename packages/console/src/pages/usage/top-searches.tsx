/** The most frequent searches, each opening "Try it". */
import { Code, Paper, Stack, Text, Title } from '@mantine/core'
import type { Search, UsageSummary } from '@querent/contract/manage'
import { t, tNodes } from '#i18n/translate.ts'
import { readStack } from '#pages/try-it/search.ts'
import { DataTable } from '#ui/data-table.tsx'
import { TextLink } from '#ui/links.tsx'
import { formatNumber } from './formats.ts'
import { SwitchOnQueryLog } from './switch-on-query-log.tsx'

interface TopSearchesProps {
  title: string
  workspace: string
  searches: readonly Search[]
  queryLog: UsageSummary['queryLog']
  /** Whether searches count by those without results. */
  isEmptyOnly?: boolean
}

export const TopSearches = ({ title, workspace, searches, queryLog, isEmptyOnly }: TopSearchesProps) => (
  <Paper withBorder p="md" ref={isEmptyOnly ? scrollToIfLinked : undefined}>
    <Stack gap="xs">
      <Title order={2} size="h5">
        {title}
      </Title>
      {searches.length > 0 ? (
        <DataTable
          caption={title}
          rows={searches}
          isCompact
          rowKey={({ api, parameters }) => `${api} ${parameters}`}
          columns={[
            {
              heading: t('Search'),
              cell: search => <SearchText workspace={workspace} search={search} />,
            },
            { heading: t('API'), cell: ({ api }) => api },
            {
              heading: isEmptyOnly ? t('Without results') : t('Searches'),
              cell: ({ queries, empty }) => formatNumber(isEmptyOnly ? empty : queries),
            },
          ]}
        />
      ) : (
        queryLog.parameters !== 'off' && (
          <Text c="dimmed" size="sm">
            {t('No searches in this period')}
          </Text>
        )
      )}
      {queryLog.parameters !== 'full' && (
        <Text size="sm" c="dimmed">
          {queryLog.parameters === 'off'
            ? t('The query log is off, so nothing shows which searches these are.')
            : t(
                'The query log stores hashes only, so you see how often a search occurs, but not its text.',
              )}{' '}
          {queryLog.parameters !== 'off' &&
            tNodes('Change this in the {settings}.', {
              settings: (
                <TextLink to="/w/$workspace/settings/general" params={{ workspace }}>
                  {t('general settings')}
                </TextLink>
              ),
            })}
        </Text>
      )}
      {queryLog.parameters === 'off' && (
        <SwitchOnQueryLog workspace={workspace} keepDays={queryLog.keepDays} />
      )}
    </Stack>
  </Paper>
)

/** Shows the list once it is there, if the link of the overview leads to it. */
const scrollToIfLinked = (element: HTMLElement | null): void => {
  if (window.location.hash === '#without-results') element?.scrollIntoView({ block: 'center' })
}

const hashChars = 20

const SearchText = ({ workspace, search: { api, parameters } }: { workspace: string; search: Search }) => {
  const stack = readStack(parameters)
  if (stack.length === 0) return <Code>{parameters.slice(0, hashChars)}…</Code>
  const values = stack
    .flatMap(step => step.parameters.map(({ value }) => value))
    .filter(value => value !== '')
  const endpoints = stack.map(({ endpoint }) => endpoint).join(' · ')
  return (
    <Stack gap={0} align="flex-start">
      <TextLink to="/w/$workspace/apis/$api" params={{ workspace, api }} search={{ stack: parameters }}>
        {values.length > 0 ? values.join(' · ') : endpoints}
      </TextLink>
      {values.length > 0 && (
        <Text size="xs" c="dimmed">
          {endpoints}
        </Text>
      )}
    </Stack>
  )
}
