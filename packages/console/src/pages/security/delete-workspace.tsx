import { Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { management } from '#api/manage.ts'
import { ConfirmButton } from '#ui/confirm-button.tsx'

/** Removes the workspace, once its name has been typed, and leads to the others. */
export const DeleteWorkspace = ({ workspace }: { workspace: string }) => {
  const cache = useQueryClient()
  const navigate = useNavigate()
  // Away from its pages first: what they show is not to be read again.
  const remove = async () => {
    await management.call('removeWorkspace', { params: { workspace } })
    await navigate({ to: '/workspaces' })
    await cache.invalidateQueries()
  }
  return (
    <Stack gap="sm" align="flex-start" maw={560}>
      <Title order={2} size="h4">
        Remove this workspace
      </Title>
      <Text>
        Its documents, APIs, members, accounts and applications go with it. The workspace file can be kept and
        applied again; documents cannot.
      </Text>
      <ConfirmButton
        label="Remove workspace"
        question={`Remove the workspace ${workspace}?`}
        typed={workspace}
        onConfirm={remove}
      >
        All of its documents are gone for good. Whatever uses it is refused from the very next request on.
      </ConfirmButton>
    </Stack>
  )
}
