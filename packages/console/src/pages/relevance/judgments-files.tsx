import { Button, FileButton, Group, Paper, Stack, Text } from '@mantine/core'
import { JudgmentsError, writeJudgments } from '@querent/client/relevance/judgments'
import type { TestIdentity } from '@querent/client/relevance/plan-tests'
import { type DragEvent, useRef, useState } from 'react'
import { t, tCount } from '#i18n/translate.ts'
import { listJudgments, useJudgments } from '#pages/try-it/judge/judgments.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import { deleteJudgments, readStoredJudgments, storeJudgments } from './judgments-store.ts'

interface JudgmentsFilesProps {
  workspace: string
  tests: readonly TestIdentity[]
  /** A file was added or removed. */
  onChange: () => void
}

/** The files of judgments that tests refer to: the server has only the workspace file, so they are added here. */
export const JudgmentsFiles = ({ workspace, tests, onChange }: JudgmentsFilesProps) => {
  const files = tests.flatMap(({ judgments, api }) => (judgments === undefined ? [] : [{ judgments, api }]))
  // The first test that names a file says which API its judgments are about.
  const apis = new Map(files.toReversed().map(({ judgments, api }) => [judgments, api]))
  return [...apis].map(([path, api]) => (
    <JudgmentsFile key={path} workspace={workspace} path={path} api={api} onChange={onChange} />
  ))
}

interface JudgmentsFileProps extends Pick<JudgmentsFilesProps, 'workspace' | 'onChange'> {
  path: string
  api: string
}

const JudgmentsFile = ({ workspace, path, api, onChange }: JudgmentsFileProps) => {
  const stored = readStoredJudgments(workspace, path)
  const [judgmentsByQuery] = useJudgments(workspace, api)
  const collected = listJudgments(judgmentsByQuery)
  const [error, setError] = useState<unknown>()
  const [isDraggedOver, setDraggedOver] = useState(false)
  const resetFile = useRef<() => void>(null)
  const add = async (file: File | null | undefined) => {
    resetFile.current?.()
    if (!file) return
    setError(undefined)
    try {
      storeJudgments(workspace, path, file.name, await file.text())
      onChange()
    } catch (fault) {
      setError(fault instanceof JudgmentsError ? describeFault(file.name, fault) : fault)
    }
  }
  const handleDrop = (event: DragEvent) => {
    event.preventDefault()
    setDraggedOver(false)
    void add(event.dataTransfer.files[0])
  }
  return (
    <Paper
      withBorder
      p="md"
      component="section"
      aria-label={t('Judgments {path}', { path })}
      bg={isDraggedOver ? 'var(--mantine-color-default-hover)' : 'transparent'}
      onDragOver={event => {
        event.preventDefault()
        setDraggedOver(true)
      }}
      onDragLeave={() => setDraggedOver(false)}
      onDrop={handleDrop}
    >
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Stack gap={0} maw={760}>
            <Text fw={600}>{path}</Text>
            <Text size="sm" c="dimmed">
              {stored
                ? tCount(
                    stored.judgments.length,
                    '{count} judgment from {file}, kept in this browser only.',
                    '{count} judgments from {file}, kept in this browser only.',
                    { file: stored.fileName },
                  )
                : t(
                    'The server does not have this file of judgments. Drop it here, or choose it, to run its tests. It stays in this browser.',
                  )}
            </Text>
          </Stack>
          <Group gap="xs">
            <FileButton onChange={add} accept=".tsv,.txt,text/tab-separated-values" resetRef={resetFile}>
              {props => (
                <Button variant="default" {...props}>
                  {stored ? t('Replace') : t('Choose the file')}
                </Button>
              )}
            </FileButton>
            {collected.length > 0 && (
              <Button
                variant="default"
                onClick={() => add(new File([writeJudgments(collected)], t('Try it')))}
              >
                {tCount(
                  collected.length,
                  'Use {count} judgment from Try it',
                  'Use {count} judgments from Try it',
                )}
              </Button>
            )}
            {stored && (
              <Button
                variant="default"
                aria-label={t('Delete {path}', { path })}
                onClick={() => {
                  deleteJudgments(workspace, path)
                  onChange()
                }}
              >
                {t('Delete')}
              </Button>
            )}
          </Group>
        </Group>
        {error !== undefined && <ErrorNote error={error} />}
      </Stack>
    </Paper>
  )
}

const describeFault = (file: string, { line, message }: JudgmentsError): Error =>
  new Error(
    line === undefined ? `${file}: ${message}` : t('{file}, line {line}: {message}', { file, line, message }),
  )
