/** Settings > Team Members > one System-to-System account: secrets, IP addresses, deletion. */
import { Alert, Badge, Button, Group, Stack, Text, Title } from '@mantine/core'
import type { SystemToSystem } from '@querent/contract/manage'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { readOperation, useOperation } from '#api/manage.ts'
import { ConfirmButton } from '#ui/confirm-button.tsx'
import { CopyValue } from '#ui/copy-value.tsx'
import { DialogButton } from '#ui/dialog-button.tsx'
import { Loading } from '#ui/loading.tsx'
import { NotFound } from '#ui/not-found.tsx'
import { Page } from '#ui/page.tsx'
import { Roles } from '#ui/roles.tsx'
import { SeenDocuments } from '#ui/seen-documents.tsx'
import { Secrets } from './secrets.tsx'

const Addresses = lazy(async () => ({ default: (await import('./addresses.tsx')).Addresses }))
const EditAccount = lazy(async () => ({ default: (await import('./edit-account.tsx')).EditAccount }))

interface AccountProps {
  workspace: string
  account: SystemToSystem
}

export const SystemToSystemAccount = () => {
  const { workspace, clientId } = useParams({
    from: '/signed-in/w/$workspace/settings/team-members/system-to-system/$clientId',
  })
  const { data } = useSuspenseQuery(
    readOperation('listSystemToSystem', { params: { workspace }, query: { search: clientId } }),
  )
  const account = data.items.find(item => item.clientId === clientId)
  if (!account) return <NotFound />
  return (
    <Page
      title={account.name}
      description="A System-to-System account, used by an application, not a person."
      action={<DisableButton workspace={workspace} account={account} />}
    >
      <Stack gap="xs" maw={560}>
        <Group gap="xs">
          <Roles roles={account.roles} />
          {account.disabled && <Badge color="gray">disabled</Badge>}
          <DialogButton label="Edit" description={`Edit ${account.name}`} size="compact-sm" variant="subtle">
            {dialog => <EditAccount workspace={workspace} account={account} {...dialog} />}
          </DialogButton>
        </Group>
        <CopyValue label="Client ID" value={account.clientId} />
        <Text size="sm">
          Documents:{' '}
          <SeenDocuments
            workspace={workspace}
            member={clientId}
            filter={account.filter}
            roles={account.roles}
          />
        </Text>
      </Stack>
      {account.publicKeys ? (
        <Text>It authenticates with its own keys (private_key_jwt) and has no Client Secret.</Text>
      ) : (
        <Secrets workspace={workspace} account={account} />
      )}
      <Suspense fallback={<Loading />}>
        <Addresses workspace={workspace} account={account} />
      </Suspense>
      <DeleteAccount workspace={workspace} account={account} />
    </Page>
  )
}

const DisableButton = ({ workspace, account: { clientId, name, disabled } }: AccountProps) => {
  const update = useOperation('updateSystemToSystem')
  const setDisabled = (next: boolean) =>
    update.mutateAsync({ params: { workspace, clientId }, input: { disabled: next } })
  if (disabled)
    return (
      <Button onClick={() => setDisabled(false)} loading={update.isPending}>
        Enable
      </Button>
    )
  return (
    <ConfirmButton
      label="Disable"
      description={`Disable ${name}`}
      question={`Disable ${name}?`}
      onConfirm={() => setDisabled(true)}
    >
      Applications that use it lose access immediately. You can enable it again.
    </ConfirmButton>
  )
}

const DeleteAccount = ({ workspace, account: { clientId, name, disabled } }: AccountProps) => {
  const remove = useOperation('removeSystemToSystem')
  const navigate = useNavigate()
  return (
    <Stack gap="sm" align="flex-start">
      <Title order={2} size="h4">
        Delete this account
      </Title>
      {!disabled && (
        <Alert color="gray">Disable the account first to check that nothing still uses it.</Alert>
      )}
      <ConfirmButton
        label="Delete account"
        question={`Delete ${name}?`}
        disabled={!disabled}
        onConfirm={async () => {
          await remove.mutateAsync({ params: { workspace, clientId } })
          await navigate({ to: '/w/$workspace/settings/team-members', params: { workspace } })
        }}
      >
        This permanently deletes its Client ID and secrets.
      </ConfirmButton>
    </Stack>
  )
}
