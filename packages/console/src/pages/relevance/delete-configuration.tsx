import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { FileEditDialog } from '#ui/file-edit-dialog.tsx'

interface DeleteConfigurationProps extends DialogState {
  workspace: string
  /** Name of the configuration. */
  name: string
}

/** Asks before a configuration is deleted, and shows which tests use it. */
export const DeleteConfiguration = ({ workspace, name, ...dialog }: DeleteConfigurationProps) => (
  <FileEditDialog
    {...dialog}
    title={t('Delete the configuration {name}?', { name })}
    workspace={workspace}
    path={['configurations', name]}
    submit={t('Delete')}
    color="red"
    note={t('Queries with config={name} fail then. Its documents stay.', { name })}
    edits={() => [{ path: ['configurations', name], value: undefined }]}
  />
)
