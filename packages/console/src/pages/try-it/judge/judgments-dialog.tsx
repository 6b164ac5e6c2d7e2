import { Button, FileButton, Group, Modal, Stack, Text } from '@mantine/core'
import { JudgmentsError, parseJudgments, writeJudgments } from '@querent/client/relevance/judgments'
import { useState } from 'react'
import { t, tCount, tNodes } from '#i18n/translate.ts'
import { ConfirmButton } from '#ui/confirm-button.tsx'
import { CopyValue } from '#ui/copy-value.tsx'
import type { DialogState } from '#ui/dialog-button.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { FormRefusal } from '#ui/file-refusal.ts'
import { TextLink } from '#ui/links.tsx'
import { saveFile } from '#ui/save-file.ts'
import { addJudgments, type Judgments, listJudgments } from './judgments.ts'

interface JudgmentsDialogProps extends DialogState {
  workspace: string
  api: string
  /** Endpoint of the current query, which the test runs. */
  endpoint: string
  judgments: Judgments
  onChange: (judgments: Judgments) => void
}

const fileName = 'judgments.tsv'
/** Some 100,000 judgments. The browser keeps about 5 MB for all pages together. */
const fileBytesMax = 2 * 1024 * 1024

/** Turns the judgments of this browser into a file that `querent judge` reads, and shows the test that names it. */
export const JudgmentsDialog = ({
  isOpen,
  onClose,
  workspace,
  api,
  endpoint,
  judgments,
  onChange,
}: JudgmentsDialogProps) => {
  const [error, setError] = useState<unknown>()
  const allJudgments = listJudgments(judgments)
  const importFile = async (file: File | null) => {
    if (!file) return
    setError(undefined)
    try {
      if (file.size > fileBytesMax)
        throw new FormRefusal(t('The file has more than {count} MB.', { count: fileBytesMax / 1024 / 1024 }))
      onChange(addJudgments(judgments, parseJudgments(await file.text())))
    } catch (fault) {
      setError(
        fault instanceof JudgmentsError
          ? new FormRefusal(t('Line {line}: {message}', { line: fault.line ?? 1, message: fault.message }))
          : fault,
      )
    }
  }
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t('Judgments')}
      size="lg"
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <Stack>
        <Text>
          {tCount(allJudgments.length, '{count} judgment', '{count} judgments')}{' '}
          {tCount(Object.keys(judgments).length, 'of {count} query', 'of {count} queries')}.{' '}
          {t('They are kept in this browser only. Export them to share them, and to test them.')}
        </Text>
        <Group gap="sm">
          <Button
            disabled={allJudgments.length === 0}
            onClick={() => saveFile(fileName, 'text/tab-separated-values', writeJudgments(allJudgments))}
          >
            {t('Export {file}', { file: fileName })}
          </Button>
          <FileButton accept=".tsv,text/tab-separated-values,text/plain" onChange={importFile}>
            {props => (
              <Button variant="default" {...props}>
                {t('Import a file')}
              </Button>
            )}
          </FileButton>
          <ConfirmButton
            question={t('Delete all judgments of this API?')}
            label={t('Delete all')}
            disabled={allJudgments.length === 0}
            onConfirm={() => onChange({})}
          >
            {t('They are gone from this browser. Exported files stay.')}
          </ConfirmButton>
        </Group>
        {error !== undefined && <ErrorNote error={error} />}
        <CopyValue label={t('Test for the workspace file')} value={writeTest(api, endpoint)} block />
        <Text size="sm" c="dimmed">
          {t(
            'Put {file} beside the workspace file, and run querent judge. The test fails if the ranking gets worse than atLeast.',
            { file: fileName },
          )}{' '}
          {tNodes('{page} has a form for it, and runs it with these judgments.', {
            page: (
              <TextLink to="/w/$workspace/relevance" params={{ workspace }}>
                {t('Relevance tests')}
              </TextLink>
            ),
          })}
        </Text>
      </Stack>
    </Modal>
  )
}

const writeTest = (api: string, endpoint: string): string => `tests:
  - { judgments: ${fileName}, api: ${api}, endpoint: ${endpoint}, metric: ndcg@10, atLeast: 0.8 }`
