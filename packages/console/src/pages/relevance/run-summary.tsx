import { Button, Group, Text } from '@mantine/core'
import { t, tCount } from '#i18n/translate.ts'
import { Moment } from '#ui/moment.tsx'
import { configurationLabel } from './configuration-label.ts'
import { type RelevanceRun, readValue, type TestRow } from './test-run.ts'

interface RunSummaryProps {
  workspace: string
  run: RelevanceRun
  rows: readonly TestRow[]
}

/** One line on the run, and its result as a file. */
export const RunSummary = ({ workspace, run, rows }: RunSummaryProps) => {
  const values = rows.map(({ outcome, atLeast }) => ({ value: readValue(outcome), atLeast }))
  const failed = values.filter(({ value, atLeast }) => value !== undefined && value < atLeast).length
  const missing = values.filter(({ value }) => value === undefined).length
  const passed = values.length - failed - missing
  const count = (kind: TestRow['change']) => rows.filter(({ change }) => change === kind).length
  const save = async (format: 'json' | 'junit') => {
    const { saveResult } = await import('./save-result.ts')
    saveResult(workspace, run, format)
  }
  return (
    <Group justify="space-between" gap="sm">
      <Text role="status">
        <Text span fw={600}>
          {failed === 0
            ? tCount(passed, '{count} test passed', '{count} tests passed')
            : t('{failed} failed, {passed} passed', { failed, passed })}
          {missing > 0 && t(', {missing} not run', { missing })}
        </Text>
        {run.compared && (
          <>
            {' · '}
            {t('{better} better, {worse} worse, {same} same', {
              better: count('better'),
              worse: count('worse'),
              same: count('same'),
            })}
          </>
        )}
        <Text span c="dimmed">
          {' · '}
          {configurationLabel(run.tested.config)}
          {', '}
          <Moment moment={run.finishedAt} />
        </Text>
      </Text>
      <Group gap="xs">
        <Button variant="default" onClick={() => save('json')}>
          {t('Save as JSON')}
        </Button>
        <Button variant="default" onClick={() => save('junit')}>
          {t('Save as JUnit')}
        </Button>
      </Group>
    </Group>
  )
}
