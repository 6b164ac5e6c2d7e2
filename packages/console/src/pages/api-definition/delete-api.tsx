/** Deletes an API after its name is typed. The documents of its collections stay. */
import { useNavigate } from '@tanstack/react-router'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { FileEditDialog } from '#ui/file-edit-dialog.tsx'

interface DeleteApiProps extends DialogState {
  workspace: string
  api: string
}

export const DeleteApi = ({ workspace, api, ...dialog }: DeleteApiProps) => {
  const navigate = useNavigate()
  return (
    <FileEditDialog
      {...dialog}
      title={t('Delete the API {name}?', { name: api })}
      workspace={workspace}
      path={['apis', api]}
      submit={t('Delete API')}
      color="red"
      removesUses="always"
      typed={api}
      note={t('Applications that query it get status 404 at once. The documents stay.')}
      edits={() => [{ path: ['apis', api], value: undefined }]}
      leave={() => navigate({ to: '/w/$workspace/apis', params: { workspace } })}
    />
  )
}
