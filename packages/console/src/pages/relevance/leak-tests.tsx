/** Leak tests of the workspace file: documents that a group or member must not see. */
import { Group, Stack, Text, Title } from '@mantine/core'
import { isLeakTest } from '@querent/contract/relevance-tests'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { lazy, Suspense } from 'react'
import { t } from '#i18n/translate.ts'
import { DialogButton } from '#ui/dialog-button.tsx'

const LeakTestDialog = lazy(async () => ({
  default: (await import('./leak-test-dialog.tsx')).LeakTestDialog,
}))
const LeakTestTable = lazy(async () => ({ default: (await import('./leak-test-table.tsx')).LeakTestTable }))

export const LeakTests = ({ file }: { file: WorkspaceFile }) => (
  <Stack gap="sm">
    <Group justify="space-between">
      <Title order={2} size="h4">
        {t('Leak tests')}
      </Title>
      <DialogButton label={t('Add a leak test')} variant="default">
        {dialog => <LeakTestDialog file={file} {...dialog} />}
      </DialogButton>
    </Group>
    <Text c="dimmed" size="sm">
      {t(
        'They name documents that a group or member must not see. The server runs them before each promotion, and promotes nothing if one fails.',
      )}
    </Text>
    {(file.tests ?? []).some(isLeakTest) && (
      <Suspense>
        <LeakTestTable file={file} />
      </Suspense>
    )}
  </Stack>
)
