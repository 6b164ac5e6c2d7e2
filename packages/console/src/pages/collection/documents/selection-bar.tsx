import { Button, Group, Text } from '@mantine/core'
import { lazy } from 'react'
import type { ListedDocument } from '#api/documents.ts'
import { t, tCount } from '#i18n/translate.ts'
import { useCollection } from '#pages/collection/collection-context.ts'
import { DialogButton } from '#ui/dialog-button.tsx'
import { saveFile } from '#ui/save-file.ts'
import type { Selection } from './use-selection.ts'

const DeleteSelected = lazy(async () => ({ default: (await import('./delete-selected.tsx')).DeleteSelected }))

interface SelectionBarProps {
  selection: Selection
  onDeleted: (documents: readonly ListedDocument[]) => void
}

/** Exports or deletes the selected documents. */
export const SelectionBar = ({ selection, onDeleted }: SelectionBarProps) => {
  const { collection } = useCollection().summary
  const { selected, clear } = selection
  const save = () =>
    saveFile(
      `${collection}.ndjson`,
      'application/x-ndjson',
      new Blob(selected.map(({ document }) => `${JSON.stringify(document)}\n`)),
    )
  return (
    <Group gap="xs" role="group" aria-label={t('Selected documents')}>
      <Text size="sm" fw={600} role="status">
        {tCount(selected.length, '{count} selected', '{count} selected')}
      </Text>
      <Button size="xs" variant="default" onClick={save}>
        {t('Export the selection')}
      </Button>
      <DialogButton size="xs" variant="light" color="red" label={t('Delete the selection')}>
        {dialog => (
          <DeleteSelected
            {...dialog}
            ids={selected.map(({ id }) => id)}
            onDeleted={documents => {
              clear()
              onDeleted(documents)
            }}
          />
        )}
      </DialogButton>
      <Button size="xs" variant="subtle" onClick={clear}>
        {t('Clear the selection')}
      </Button>
    </Group>
  )
}
