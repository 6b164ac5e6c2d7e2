import { Alert, Group, Stack, Text, Title } from '@mantine/core'
import type { Secret, SystemToSystem } from '@querent/contract/manage'
import { lazy } from 'react'
import { useOperation } from '#api/manage.ts'
import { ConfirmButton } from '#ui/confirm-button.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { DialogButton } from '#ui/dialog-button.tsx'
import { formatAgo, formatMoment, Moment } from '#ui/moment.tsx'

const AddSecret = lazy(async () => ({ default: (await import('./add-secret.tsx')).AddSecret }))

interface SecretsProps {
  workspace: string
  account: SystemToSystem
}

/** The secrets of an account. Two at a time let it change over without an outage. */
export const Secrets = ({ workspace, account }: SecretsProps) => {
  const { clientId, secrets } = account
  const remove = useOperation('removeSecret')
  const newest = secrets.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1))[0]
  const stillUsed = secrets.filter(secret => secret !== newest && isStillUsed(secret, newest))
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4">
          Client Secrets
        </Title>
        <DialogButton label="Make another secret" variant="default">
          {dialog => <AddSecret workspace={workspace} clientId={clientId} {...dialog} />}
        </DialogButton>
      </Group>
      {stillUsed.length > 0 && (
        <Alert color="yellow" title="An older secret is still in use">
          {stillUsed.map(secret => (
            <Text key={secret.id} size="sm">
              The secret {nameSecret(secret)} was last used {formatAgo(secret.lastUsedAt ?? '')}.
            </Text>
          ))}
          <Text size="sm">
            Give the application the new secret before you remove the old. This warning stands while an older
            secret was used within the last 24 hours, after the newest was made. Uses are shown up to a minute
            late.
          </Text>
        </Alert>
      )}
      {secrets.length > 1 && newest?.lastUsedAt && stillUsed.length === 0 && (
        <Alert color="gray" title="The newest secret is in use; the older ones seem to be no more">
          Uses are shown up to a minute late. Remove an older secret when it had no use for as long as your
          application keeps a token.
        </Alert>
      )}
      <DataTable
        caption="Client Secrets"
        rows={secrets}
        rowKey={({ id }) => id}
        columns={[
          {
            heading: 'Secret',
            cell: secret => (
              <Stack gap={0}>
                <Text size="sm">{nameSecret(secret)}</Text>
                <Text size="xs" c="dimmed" ff="monospace">
                  {secret.id}
                </Text>
              </Stack>
            ),
          },
          { heading: 'Made', cell: ({ createdAt }) => <Moment moment={createdAt} /> },
          { heading: 'Expires', cell: ({ expiresAt }) => <Moment moment={expiresAt} /> },
          { heading: 'Last used', cell: ({ lastUsedAt }) => <Moment moment={lastUsedAt} /> },
          {
            heading: '',
            cell: secret => (
              <ConfirmButton
                label="Remove"
                description={`Remove the secret ${nameSecret(secret)}`}
                question={`Remove the secret ${nameSecret(secret)}?`}
                onConfirm={() => remove.mutateAsync({ params: { workspace, clientId, secretId: secret.id } })}
              >
                {stillUsed.includes(secret)
                  ? 'It is still in use: the application that sends it is refused at its next token.'
                  : 'No token can be got with it any more.'}
              </ConfirmButton>
            ),
          },
        ]}
      />
    </Stack>
  )
}

/** What people tell it by: how it begins, else when it was made. */
const nameSecret = ({ hint, createdAt }: Secret): string =>
  hint === null ? `made ${formatMoment(createdAt)}` : `${hint}…`

const daySeconds = 86_400

/** Whether it was used within a day, after the newest was made. RFC 3339 in UTC sorts as text. */
const isStillUsed = ({ lastUsedAt }: Secret, newest: Secret | undefined): boolean =>
  lastUsedAt !== null &&
  newest !== undefined &&
  lastUsedAt > newest.createdAt &&
  Date.now() - Date.parse(lastUsedAt) < daySeconds * 1000
