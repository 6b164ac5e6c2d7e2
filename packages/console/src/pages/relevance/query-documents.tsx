import { Grid, Stack, Text } from '@mantine/core'
import type { QueryOutcome, TestOutcome } from '@querent/client/relevance/run-tests'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { readDocument } from '#api/documents.ts'
import { createQueryApi } from '#api/query.ts'
import { t } from '#i18n/translate.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import { readHeading } from '#ui/heading.ts'
import { tellApart } from '#ui/tell-apart.ts'
import { testStack } from './try-it-search.ts'

/** Documents to show of each kind. */
const shownMax = 10

interface QueryDocumentsProps {
  workspace: string
  test: TestOutcome
  outcome: QueryOutcome
  config: string | undefined
}

/** The documents that a query should find, and those that it finds now, by their headings. */
export const QueryDocuments = ({ workspace, test, outcome, config }: QueryDocumentsProps) => {
  const { api, collection } = test
  const expectedIds = new Set(outcome.expected.map(({ id }) => id))
  const { data, error } = useQuery({
    queryKey: ['results', workspace, api, test.endpoint, outcome.query, config],
    queryFn: () =>
      createQueryApi(workspace, api, { isLookup: true }).results(testStack(test, outcome.query), {
        count: Math.min(shownMax, outcome.count),
        config,
      }),
  })
  const headings = new Map(
    data?.items.flatMap(({ tuple }, index) =>
      tuple.map(entity => [outcome.found[index] ?? entity.id, readHeading(entity).text] as const),
    ),
  )
  const differences = tellApart(data?.items.flatMap(({ tuple: [entity] }) => entity ?? []) ?? [])
  const differencesById = new Map(
    data?.items.map(({ tuple: [entity] }, index) => [
      outcome.found[index] ?? entity?.id,
      differences.get(entity?.id ?? ''),
    ]),
  )
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Documents title={t('Expected')}>
          {outcome.expected.slice(0, shownMax).map(({ id, grade, rank }) => (
            <li key={id}>
              <span>
                {headings.get(id) ?? (
                  <ExpectedHeading workspace={workspace} collection={collection} id={id} />
                )}
              </span>
              <Text size="xs" c="dimmed">
                {[
                  id,
                  grade === undefined ? undefined : t('grade {grade}', { grade }),
                  rank === undefined
                    ? t('not among the first {count}', { count: outcome.count })
                    : t('found at rank {rank}', { rank }),
                ]
                  .filter(part => part !== undefined)
                  .join(' · ')}
              </Text>
            </li>
          ))}
        </Documents>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Documents title={t('Found')}>
          {outcome.found.map(id => (
            <li key={id}>
              <Text span fw={expectedIds.has(id) ? 600 : undefined} size="sm">
                {headings.get(id) ?? id}
              </Text>
              <Text size="xs" c="dimmed">
                {[
                  ...(differencesById.get(id) === undefined ? [] : [differencesById.get(id)]),
                  expectedIds.has(id) ? t('{id} · expected', { id }) : id,
                ].join(' · ')}
              </Text>
            </li>
          ))}
        </Documents>
        {outcome.found.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('Nothing')}
          </Text>
        )}
      </Grid.Col>
      {error && <ErrorNote error={error} />}
    </Grid>
  )
}

const Documents = ({ title, children }: { title: string; children: ReactNode }) => (
  <Stack gap={4}>
    <Text size="sm" c="dimmed">
      {title}
    </Text>
    <Text component="ol" size="sm" m={0} pl="lg">
      {children}
    </Text>
  </Stack>
)

/** The heading of a document that the query does not find. */
const ExpectedHeading = ({
  workspace,
  collection,
  id,
}: {
  workspace: string
  collection: string
  id: string
}) => {
  const { data, isError } = useQuery({
    queryKey: ['document', workspace, collection, id],
    queryFn: () => readDocument(workspace, collection, id),
    retry: false,
  })
  if (isError) return id
  if (data === null) return t('{id}: the live documents have none with this id', { id })
  return data ? readHeading({ id, attributes: data.document }).text : id
}
