/** Settings > Team Members > one System-to-System account: secrets, IP addresses, deletion. */

import { Alert, Badge, Button, Group, Stack, Text, Title } from '@mantine/core'
import type { SystemToSystem } from '@querent/contract/manage'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { readOperation, useOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { ConfirmButton } from '#ui/confirm-button.tsx'
import { CopyValue } from '#ui/copy-value.tsx'
import { DialogButton } from '#ui/dialog-button.tsx'
import { Loading } from '#ui/loading.tsx'
import { MemberGroupNames } from '#ui/member-group-names.tsx'
import { NotFound } from '#ui/not-found.tsx'
import { Page } from '#ui/page.tsx'
import { Roles } from '#ui/roles.tsx'
import { SeenDocuments } from '#ui/seen-documents.tsx'
import { Secrets } from './secrets.tsx'

const Addresses = lazy(async () => ({ default: (await import('./addresses.tsx')).Addresses }))
const ExplainSight = lazy(async () => ({ default: (await import('#ui/explain-sight.tsx')).ExplainSight }))
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
      description={t('A System-to-System account, used by an application, not a person.')}
      action={<DisableButton workspace={workspace} account={account} />}
    >
      <Stack gap="xs" maw={560}>
        <Group gap="xs">
          <Roles roles={account.roles} />
          {account.disabled && <Badge color="gray">{t('disabled')}</Badge>}
          {account.dpop && <Badge color="gray">{t('requires DPoP')}</Badge>}
          <DialogButton
            label={t('Edit')}
            description={t('Edit {name}', { name: account.name })}
            size="compact-sm"
            variant="subtle"
          >
            {dialog => <EditAccount workspace={workspace} account={account} {...dialog} />}
          </DialogButton>
          <DialogButton
            label={t('Explain')}
            description={t('Explain what {name} can read', { name: account.name })}
            size="compact-sm"
            variant="subtle"
          >
            {dialog => (
              <ExplainSight workspace={workspace} member={clientId} name={account.name} {...dialog} />
            )}
          </DialogButton>
        </Group>
        <CopyValue label={t('Client ID')} value={account.clientId} />
        <Text size="sm">
          {t('Documents:')} <SeenDocuments workspace={workspace} member={clientId} holder={account} />
        </Text>
        <MemberGroupNames workspace={workspace} holder={account} />
      </Stack>
      {account.publicKeys ? (
        <Text>{t('It authenticates with its own keys (private_key_jwt) and has no Client Secret.')}</Text>
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
        {t('Enable')}
      </Button>
    )
  return (
    <ConfirmButton
      label={t('Disable')}
      description={t('Disable {name}', { name })}
      question={t('Disable {name}?', { name })}
      onConfirm={() => setDisabled(true)}
    >
      {t('Applications that use it lose access immediately. You can enable it again.')}
    </ConfirmButton>
  )
}

const DeleteAccount = ({ workspace, account: { clientId, name, disabled } }: AccountProps) => {
  const remove = useOperation('removeSystemToSystem')
  const navigate = useNavigate()
  return (
    <Stack gap="sm" align="flex-start">
      <Title order={2} size="h4">
        {t('Delete this account')}
      </Title>
      {!disabled && (
        <Alert color="gray">{t('Disable the account first to check that nothing still uses it.')}</Alert>
      )}
      <ConfirmButton
        label={t('Delete account')}
        question={t('Delete {name}?', { name })}
        disabled={!disabled}
        onConfirm={async () => {
          await remove.mutateAsync({ params: { workspace, clientId } })
          await navigate({ to: '/w/$workspace/settings/team-members', params: { workspace } })
        }}
      >
        {t('This permanently deletes its Client ID and secrets.')}
      </ConfirmButton>
    </Stack>
  )
}
