import { Badge, Group, Text } from '@mantine/core'
import { identifyTest, isBroken, listRelevanceTests } from '@querent/client/relevance/plan-tests'
import type { Comparison } from '@querent/client/relevance/report'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { Fragment, lazy } from 'react'
import { useWorkspaceFileEdit } from '#api/workspace-file-edit.ts'
import { t, tNodes } from '#i18n/translate.ts'
import { ConfirmButton } from '#ui/confirm-button.tsx'
import { type Column, DataTable } from '#ui/data-table.tsx'
import { DialogButton } from '#ui/dialog-button.tsx'
import { DocumentName } from '#ui/document-name.tsx'
import { TextLink } from '#ui/links.tsx'
import { configurationLabel } from './configuration-label.ts'
import { formatChange, formatValue } from './format-value.ts'
import { readLastResult } from './last-result.ts'
import { type RelevanceRun, readValue, type TestRow } from './test-run.ts'
import { testsEdit } from './tests-edit.ts'
import { labelPlace, readTextParameter } from './text-places.ts'
import { writeTryItSearch } from './try-it-search.ts'

const TestDialog = lazy(async () => ({ default: (await import('./test-dialog.tsx')).TestDialog }))

interface TestTableProps {
  file: WorkspaceFile
  rows: readonly TestRow[]
  run: RelevanceRun | undefined
}

/** All tests with their values; those of the last visit until they run again. */
export const TestTable = ({ file, rows, run }: TestTableProps) => {
  const last = run ? undefined : readLastResult(file.workspace)
  const columns: Column<TestRow & { index: number }>[] = [
    {
      heading: t('Test'),
      cell: ({ index, name }) => <TestName file={file} index={index} name={name} />,
    },
    { heading: t('Measure'), cell: ({ metric }) => metric, isWhole: true },
    { heading: t('At least'), cell: ({ atLeast }) => formatValue(atLeast) },
    ...(run?.compared
      ? [
          {
            heading: comparedLabel(run.compared),
            cell: ({ comparedValue }: TestRow) => formatValue(comparedValue),
          },
        ]
      : []),
    {
      heading: run ? configurationLabel(run.tested.config) : t('Last result'),
      cell: ({ name, outcome }) => formatValue(run ? readValue(outcome) : last?.values.get(name)),
    },
    {
      heading: t('Result'),
      cell: row => <Result row={row} last={last?.values.get(row.name)} />,
      isWhole: true,
    },
    ...(run?.compared
      ? [{ heading: t('Change'), cell: (row: TestRow) => <Change row={row} />, isWhole: true }]
      : []),
    {
      heading: '',
      cell: ({ index, name }) => (
        <Group gap="xs" wrap="nowrap" justify="flex-end">
          <DialogButton
            size="compact-sm"
            variant="subtle"
            label={t('Edit')}
            description={t('Edit {name}', { name })}
          >
            {dialog => <TestDialog {...dialog} file={file} index={index} />}
          </DialogButton>
          <DeleteTest file={file} index={index} name={name} />
        </Group>
      ),
    },
  ]
  return (
    <DataTable
      caption={t('Relevance tests')}
      rows={rows.map((row, index) => ({ ...row, index }))}
      rowKey={({ index, name }) => `${index} ${name}`}
      columns={columns}
    />
  )
}

/** Documents that a row names; the others are counted. */
const namedMax = 3

/** A test in words, with the titles of the expected documents. */
const TestName = ({ file, index, name }: DeleteTestProps) => {
  const test = listRelevanceTests(file)[index]
  if (!test || !('expect' in test)) return name
  const { endpoint, query, expect, within = 10, config } = test
  const { api } = identifyTest(file, test)
  const documents = expect.slice(0, namedMax).map((id, position) => (
    <Fragment key={id}>
      {position > 0 && ', '}
      <DocumentName workspace={file.workspace} api={api} endpoint={endpoint} id={id} />
    </Fragment>
  ))
  const moreCount = expect.length - documents.length
  return (
    <>
      {tNodes('“{query}” finds {documents} among the first {count}', {
        query: <QueryLink key="query" {...{ file, api, endpoint, config, query }} />,
        documents: (
          <Fragment key="documents">
            {documents}
            {moreCount > 0 && ` ${t('and {count} more', { count: moreCount })}`}
          </Fragment>
        ),
        count: within,
      })}
      <Text size="xs" c="dimmed">
        {labelPlace(file, api, endpoint)}
      </Text>
    </>
  )
}

interface QueryLinkProps {
  file: WorkspaceFile
  api: string
  endpoint: string
  config: string | undefined
  query: string
}

/** The text of a test, which opens its results in "Try it". */
const QueryLink = ({ file, api, endpoint, config, query }: QueryLinkProps) => {
  const parameter = readTextParameter(file, api, endpoint)
  if (parameter === undefined) return query
  return (
    <TextLink
      to="/w/$workspace/apis/$api"
      params={{ workspace: file.workspace, api }}
      search={writeTryItSearch({ endpoint, parameter }, query, config)}
    >
      {query}
    </TextLink>
  )
}

interface DeleteTestProps {
  file: WorkspaceFile
  index: number
  name: string
}

const DeleteTest = ({ file, index, name }: DeleteTestProps) => {
  const { plan, apply } = useWorkspaceFileEdit(file.workspace)
  return (
    <ConfirmButton
      label={t('Delete')}
      description={t('Delete {name}', { name })}
      question={t('Delete this test?')}
      onConfirm={async () => apply(await plan([testsEdit(withoutTest(file, index))]))}
    >
      {t('The test {name} is deleted from the workspace file.', { name })}
    </ConfirmButton>
  )
}

/** Leak tests between the relevance tests keep their places. */
const withoutTest = (file: WorkspaceFile, index: number) => {
  const test = listRelevanceTests(file)[index]
  return (file.tests ?? []).filter(other => other !== test)
}

export const comparedLabel = (compared: NonNullable<RelevanceRun['compared']>): string =>
  'outcomes' in compared ? configurationLabel(compared.config) : compared.label

const Result = ({ row: { outcome, atLeast }, last }: { row: TestRow; last: number | undefined }) => {
  if (outcome && isBroken(outcome))
    return (
      <Group gap="xs">
        <Badge color="yellow" variant="light">
          {t('Not run')}
        </Badge>
        <Text size="sm" style={{ whiteSpace: 'normal' }}>
          {outcome.error.message}
        </Text>
      </Group>
    )
  const value = readValue(outcome) ?? last
  if (value === undefined)
    return (
      <Text size="sm" c="dimmed">
        {t('Not run yet')}
      </Text>
    )
  return value >= atLeast ? (
    <Badge color="green" variant="light">
      {t('Passed')}
    </Badge>
  ) : (
    <Badge color="red" variant="light">
      {t('Failed')}
    </Badge>
  )
}

const Change = ({ row: { comparedValue, outcome, change } }: { row: TestRow }) => {
  const value = readValue(outcome)
  if (change === undefined || comparedValue === undefined || value === undefined) return '–'
  return (
    <ChangeBadge change={change}>{change === 'same' ? '' : formatChange(comparedValue, value)}</ChangeBadge>
  )
}

export const ChangeBadge = ({ change, children }: { change: Comparison; children?: string }) => {
  const { label, color, sign } = changes[change]
  return (
    <Badge color={color} variant="light" leftSection={sign} tt="none" miw="max-content">
      {label} {children}
    </Badge>
  )
}

const changes = {
  better: { label: t('Better'), color: 'green', sign: '▲' },
  worse: { label: t('Worse'), color: 'red', sign: '▼' },
  same: { label: t('Same'), color: 'gray', sign: '=' },
} as const
