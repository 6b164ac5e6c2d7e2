import { Button, Group, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { t } from '#i18n/translate.ts'
import { DialogButton, type DialogState } from '#ui/dialog-button.tsx'
import { FileEditDialog } from '#ui/file-edit-dialog.tsx'
import { ButtonLink } from '#ui/links.tsx'

interface FailedImportProps {
  workspace: string
  collection: string
  onRetry: () => void
}

/** Offers the next steps if the new collection took none of the documents of the file. */
export const FailedImport = ({ workspace, collection, onRetry }: FailedImportProps) => (
  <>
    <Text size="sm">{t('The collection has no documents. Change how it reads them, or start again.')}</Text>
    <Group gap="sm">
      <ButtonLink to="/w/$workspace/data/$collection/fields" params={{ workspace, collection }}>
        {t('Change the types')}
      </ButtonLink>
      <Button variant="default" onClick={onRetry}>
        {t('Import again')}
      </Button>
      <DialogButton label={t('Remove the collection')} variant="default" color="red">
        {dialog => <RemoveCollection {...dialog} workspace={workspace} collection={collection} />}
      </DialogButton>
    </Group>
  </>
)

interface RemoveCollectionProps extends DialogState {
  workspace: string
  collection: string
}

/** Removes the collection and the API of its name, and goes back to the choice of a file. */
const RemoveCollection = ({ workspace, collection, isOpen, onClose }: RemoveCollectionProps) => {
  const navigate = useNavigate()
  return (
    <FileEditDialog
      isOpen={isOpen}
      onClose={onClose}
      onApplied={() => void navigate({ to: '/w/$workspace/data', params: { workspace } })}
      title={t('Remove the collection {name}?', { name: collection })}
      workspace={workspace}
      path={['collections', collection]}
      submit={t('Remove')}
      color="red"
      edits={() => [
        { path: ['apis', collection], value: undefined },
        { path: ['collections', collection], value: undefined },
      ]}
    />
  )
}
