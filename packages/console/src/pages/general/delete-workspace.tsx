import { Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { management } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { ConfirmButton } from '#ui/confirm-button.tsx'

/** Deletes the workspace after its name has been typed, and opens the list of workspaces. */
export const DeleteWorkspace = ({ workspace }: { workspace: string }) => {
  const cache = useQueryClient()
  const navigate = useNavigate()
  // Leaves the pages of the workspace first, so that they do not refetch.
  const remove = async () => {
    await management.call('removeWorkspace', { params: { workspace } })
    await navigate({ to: '/workspaces' })
    await cache.invalidateQueries()
  }
  return (
    <Stack gap="sm" align="flex-start" maw={560}>
      <Title order={2} size="h4">
        {t('Delete this workspace')}
      </Title>
      <Text>
        {t(
          'This deletes its documents, APIs, members, accounts and applications. You can save the workspace file and apply it again, but documents are lost.',
        )}
      </Text>
      <ConfirmButton
        label={t('Delete workspace')}
        question={t('Delete the workspace {workspace}?', { workspace })}
        typed={workspace}
        isProminent
        onConfirm={remove}
      >
        {t(
          'This permanently deletes all documents. Applications that use the workspace lose access immediately.',
        )}
      </ConfirmButton>
    </Stack>
  )
}
