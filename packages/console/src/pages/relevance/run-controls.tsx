import { Button, FileButton, Group, NativeSelect, Paper, Progress, Stack, Text } from '@mantine/core'
import { readBaseline } from '@querent/client/relevance/report'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { IconPlayerPlay } from '@tabler/icons-react'
import { lazy, useRef, useState } from 'react'
import { t } from '#i18n/translate.ts'
import { DialogButton } from '#ui/dialog-button.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { formatMoment } from '#ui/moment.tsx'
import { configurationLabel } from './configuration-label.ts'
import { readLastResult } from './last-result.ts'
import { StagingHint } from './staging-hint.tsx'
import type { Comparand } from './test-run.ts'
import type { useTestRun } from './use-test-run.ts'

const DeleteConfiguration = lazy(async () => ({
  default: (await import('./delete-configuration.tsx')).DeleteConfiguration,
}))

interface RunControlsProps {
  file: WorkspaceFile
  testRun: ReturnType<typeof useTestRun>
}

/** Value of the choice of each test's own configuration. */
const ownConfig = ''
const configPrefix = 'config:'

/** Chooses a configuration and what to compare it with, and runs the tests. */
export const RunControls = ({
  file,
  testRun: { run, progress, start, cancel, compareWith },
}: RunControlsProps) => {
  const { workspace, configurations = {}, tests = [] } = file
  const otherConfigs = Object.keys(configurations).filter(name => name !== 'default')
  const hasOwn = tests.some(({ config }) => config !== undefined)
  const [config, setConfig] = useState(hasOwn ? ownConfig : (otherConfigs[0] ?? 'default'))
  const last = readLastResult(workspace)
  const [saved, setSaved] = useState<Extract<Comparand, { kind: 'result' }>>()
  const names = ['default', ...otherConfigs]
  const [comparison, setComparison] = useState(
    otherConfigs.length > 0 && !hasOwn ? `${configPrefix}default` : 'last',
  )
  const [error, setError] = useState<unknown>()
  const resetFile = useRef<() => void>(null)
  const readComparand = (): Comparand | undefined => {
    if (comparison.startsWith(configPrefix))
      return { kind: 'config', config: comparison.slice(configPrefix.length) }
    if (comparison === 'last' && last) return { kind: 'result', label: t('Last result'), values: last.values }
    return comparison === 'saved' ? saved : undefined
  }
  const openBaseline = async (file: File | null) => {
    resetFile.current?.()
    if (!file) return
    setError(undefined)
    try {
      const result = { kind: 'result', label: file.name, values: readBaseline(await file.text()) } as const
      setSaved(result)
      setComparison('saved')
      compareWith(result)
    } catch (fault) {
      const reason = fault instanceof Error ? fault.message : String(fault)
      setError(new Error(t('{name} is not a saved result: {reason}', { name: file.name, reason })))
    }
  }
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Group align="flex-end" gap="md">
          <NativeSelect
            label={t('Test')}
            value={config}
            onChange={event => setConfig(event.currentTarget.value)}
            data={[
              ...(hasOwn ? [{ value: ownConfig, label: t('As each test says') }] : []),
              ...names.map(name => ({ value: name, label: configurationLabel(name) })),
            ]}
          />
          <NativeSelect
            label={t('Compare with')}
            value={comparison}
            onChange={event => setComparison(event.currentTarget.value)}
            data={[
              { value: 'none', label: t('Nothing') },
              {
                value: 'last',
                label: last
                  ? t('Last result, {moment}', { moment: formatMoment(last.finishedAt) })
                  : t('Last result (none yet)'),
              },
              ...names
                .filter(name => name !== config)
                .map(name => ({ value: `${configPrefix}${name}`, label: configurationLabel(name) })),
              ...(saved ? [{ value: 'saved', label: saved.label }] : []),
            ]}
          />
          <FileButton onChange={openBaseline} accept="application/json,.json" resetRef={resetFile}>
            {props => (
              <Button variant="default" {...props}>
                {t('Open a saved result')}
              </Button>
            )}
          </FileButton>
          {progress ? (
            <Button color="red" variant="light" onClick={cancel}>
              {t('Cancel')}
            </Button>
          ) : (
            <Button
              leftSection={<IconPlayerPlay size={16} />}
              onClick={() => start(config === ownConfig ? undefined : config, readComparand())}
            >
              {t('Run tests')}
            </Button>
          )}
        </Group>
        {progress && (
          <Stack gap={4}>
            <Progress
              value={progress.total === 0 ? 0 : (100 * progress.done) / progress.total}
              aria-label={t('Queries done')}
            />
            <Text size="sm" c="dimmed" role="status">
              {t('{done} of {total} queries', progress)}
            </Text>
          </Stack>
        )}
        {error !== undefined && <ErrorNote error={error} />}
        {otherConfigs.length === 0 && !progress && !run && <StagingHint file={file} />}
        {otherConfigs.includes(config) && !progress && (
          <Group>
            <DialogButton
              label={t('Delete configuration {name}', { name: config })}
              size="compact-sm"
              variant="subtle"
              color="red"
            >
              {dialog => <DeleteConfiguration {...dialog} workspace={workspace} name={config} />}
            </DialogButton>
          </Group>
        )}
      </Stack>
    </Paper>
  )
}
