import { Button, Group, Text } from '@mantine/core'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { useMutation } from '@tanstack/react-query'
import { useWorkspaceFileEdit } from '#api/workspace-file-edit.ts'
import { t } from '#i18n/translate.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import { offerUndo } from '#ui/undo-offer.ts'

const configuration = 'staging'

/** Shown while the file has one configuration: how to test documents before they go live. */
export const StagingHint = ({ file: { workspace, collections = {} } }: { file: WorkspaceFile }) => {
  const { content, plan, apply } = useWorkspaceFileEdit(workspace)
  const latest = Object.fromEntries(Object.keys(collections).map(collection => [collection, 'latest']))
  const add = useMutation({
    mutationFn: async () => {
      const saved = await plan([{ path: ['configurations', configuration], value: latest }])
      await apply(saved)
      if (content) offerUndo({ workspace, file: content.file, saved })
    },
  })
  return (
    <>
      <Group gap="sm">
        <Text size="sm" c="dimmed">
          {t('To test staged documents before you promote them, add a configuration that uses them.')}
        </Text>
        <Button size="compact-sm" variant="subtle" loading={add.isPending} onClick={() => add.mutate()}>
          {t('Add configuration {name}', { name: configuration })}
        </Button>
      </Group>
      {add.error && <ErrorNote error={add.error} />}
    </>
  )
}
