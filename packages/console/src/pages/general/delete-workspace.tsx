import { useNavigate } from '@tanstack/react-router'
import { management } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { DeleteSection } from '#ui/delete-section.tsx'

export const DeleteWorkspace = ({ workspace }: { workspace: string }) => {
  const navigate = useNavigate()
  return (
    <DeleteSection
      title={t('Delete this workspace')}
      description={t(
        'This deletes its documents, APIs, members, accounts and applications. You can save the workspace file and apply it again, but documents are lost.',
      )}
      label={t('Delete workspace')}
      question={t('Delete the workspace {workspace}?', { workspace })}
      name={workspace}
      remove={() => management.call('removeWorkspace', { params: { workspace } })}
      leave={() => navigate({ to: '/workspaces' })}
    >
      {t(
        'This permanently deletes all documents. Applications that use the workspace lose access immediately.',
      )}
    </DeleteSection>
  )
}
