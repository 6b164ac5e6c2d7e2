import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { isBroken } from '@querent/client/relevance/plan-tests'
import { type Comparison, compareValues } from '@querent/client/relevance/report'
import type { QueryOutcome, TestOutcome } from '@querent/client/relevance/run-tests'
import { useState } from 'react'
import { t, tCount } from '#i18n/translate.ts'
import { TextLink } from '#ui/links.tsx'
import { formatValue } from './format-value.ts'
import { QueryDocuments } from './query-documents.tsx'
import type { Outcome, RelevanceRun, TestRow } from './test-run.ts'
import { ChangeBadge } from './test-table.tsx'
import { writeTryItSearch } from './try-it-search.ts'

/** Queries of a test to show at first. */
const shownFirst = 5

interface FailedQueriesProps {
  workspace: string
  rows: readonly TestRow[]
  run: RelevanceRun
}

/** Queries that failed or changed, by test: what was expected, and what was found instead. */
export const FailedQueries = ({ workspace, rows, run }: FailedQueriesProps) => {
  const tests = rows.flatMap(({ outcome, comparedOutcome }) => {
    if (!outcome || isBroken(outcome)) return []
    const queries = findNotableQueries(outcome, comparedOutcome)
    return queries.length === 0 ? [] : [{ outcome, queries }]
  })
  if (tests.length === 0) return null
  return (
    <Stack gap="lg">
      <Title order={2} size="h4">
        {run.compared ? t('Failed and changed queries') : t('Failed queries')}
      </Title>
      {tests.map(({ outcome, queries }) => (
        <NotableQueries
          key={outcome.name}
          workspace={workspace}
          outcome={outcome}
          queries={queries}
          config={run.tested.config ?? outcome.config}
        />
      ))}
    </Stack>
  )
}

export interface NotableQuery {
  outcome: QueryOutcome
  /** In the configuration that the run is compared with. */
  compared: QueryOutcome | undefined
  change: Comparison | undefined
}

/** Returns the queries that failed or changed: the worse ones first, then the lowest values. */
const findNotableQueries = (outcome: TestOutcome, comparedOutcome: Outcome | undefined): NotableQuery[] => {
  const comparedByQuery = new Map(
    comparedOutcome && !isBroken(comparedOutcome)
      ? comparedOutcome.queries.map(query => [query.query, query])
      : [],
  )
  return outcome.queries
    .map(query => {
      const compared = comparedByQuery.get(query.query)
      const change = compared && compareValues(compared.value, query.value)
      return { outcome: query, compared, change }
    })
    .filter(
      ({ outcome: { value }, change }) =>
        value < outcome.atLeast || change === 'worse' || change === 'better',
    )
    .toSorted((one, next) => urgency(one) - urgency(next) || one.outcome.value - next.outcome.value)
}

const urgency = ({ change }: NotableQuery): number =>
  change === undefined ? 1 : ['worse', 'same', 'better'].indexOf(change)

interface NotableQueriesProps {
  workspace: string
  outcome: TestOutcome
  queries: readonly NotableQuery[]
  config: string | undefined
}

const NotableQueries = ({ workspace, outcome, queries, config }: NotableQueriesProps) => {
  const [isWhole, setWhole] = useState(false)
  const shownQueries = isWhole ? queries : queries.slice(0, shownFirst)
  return (
    <Paper withBorder p="md" component="section" aria-label={outcome.name}>
      <Stack gap="sm">
        <Title order={3} size="h5">
          {outcome.name}
        </Title>
        {shownQueries.map(query => (
          <Query
            key={query.outcome.query}
            workspace={workspace}
            test={outcome}
            query={query}
            config={config}
          />
        ))}
        {queries.length > shownQueries.length && (
          <Group>
            <Button variant="default" onClick={() => setWhole(true)}>
              {tCount(
                queries.length - shownQueries.length,
                'Show {count} more query',
                'Show {count} more queries',
              )}
            </Button>
          </Group>
        )}
      </Stack>
    </Paper>
  )
}

interface QueryProps {
  workspace: string
  test: TestOutcome
  query: NotableQuery
  config: string | undefined
}

const Query = ({ workspace, test, query: { outcome, compared, change }, config }: QueryProps) => {
  const [isOpen, setOpen] = useState(false)
  const missing = outcome.expected.filter(({ rank }) => rank === undefined).length
  return (
    <details onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>
        <Text span fw={600}>
          {outcome.query}
        </Text>{' '}
        <Text span size="sm">
          {compared && change !== 'same' && `${formatValue(compared.value)} → `}
          {formatValue(outcome.value)}
        </Text>{' '}
        {change && change !== 'same' && <ChangeBadge change={change} />}{' '}
        {missing > 0 && (
          <Text span size="sm" c="dimmed">
            {t('{missing} of {expected} expected documents not found', {
              missing,
              expected: outcome.expected.length,
            })}
          </Text>
        )}
      </summary>
      <Stack gap="sm" pl="md" pt="sm">
        {isOpen && <QueryDocuments workspace={workspace} test={test} outcome={outcome} config={config} />}
        <Group>
          <TextLink
            size="sm"
            to="/w/$workspace/apis/$api"
            params={{ workspace, api: test.api }}
            search={writeTryItSearch(test, outcome.query, config)}
            aria-label={t('Try it: {query}', { query: outcome.query })}
          >
            {t('Try it')}
          </TextLink>
        </Group>
      </Stack>
    </details>
  )
}
