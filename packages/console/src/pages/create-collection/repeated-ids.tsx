import { Alert, Group, Stack, Text } from '@mantine/core'
import { t } from '#i18n/translate.ts'
import { DialogButton } from '#ui/dialog-button.tsx'
import { FileEditDialog } from '#ui/file-edit-dialog.tsx'

interface RepeatedIdsProps {
  workspace: string
  collection: string
  /** The field of the ids. */
  field: string
  /** Imports the whole file again. */
  onChanged: () => void
}

/** Offers other ids if documents of the new collection replaced each other: the sample of the file did not tell that ids repeat. */
export const RepeatedIds = ({ workspace, collection, field, onChanged }: RepeatedIdsProps) => (
  <Alert color="yellow" role="status">
    <Stack gap="sm">
      <Text size="sm">
        {t(
          '“{field}” is the same in several documents of the file, and the last one stays. To keep all documents, let the server make the ids, and import the file again.',
          { field },
        )}
      </Text>
      <Group gap="sm">
        {(['hash', 'row'] as const).map(generate => (
          <DialogButton
            key={generate}
            label={generate === 'hash' ? t('Make ids from the content') : t('Number the rows')}
            variant="default"
          >
            {dialog => (
              <FileEditDialog
                {...dialog}
                workspace={workspace}
                path={['collections', collection, 'id']}
                edits={() => [{ path: ['collections', collection, 'id'], value: { generate } }]}
                title={generate === 'hash' ? t('Make ids from the content') : t('Number the rows')}
                submit={t('Change and import again')}
                onApplied={onChanged}
              />
            )}
          </DialogButton>
        ))}
      </Group>
    </Stack>
  </Alert>
)
