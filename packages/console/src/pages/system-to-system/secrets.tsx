import { Alert, Group, Stack, Text, Title } from '@mantine/core'
import type { Secret, SystemToSystem } from '@querent/contract/manage'
import { lazy } from 'react'
import { useChange } from '#api/manage.ts'
import { Confirm } from '#ui/confirm.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { OpensDialogue } from '#ui/dialog-button.tsx'
import { ago, formatted, When } from '#ui/when.tsx'

const AddSecret = lazy(async () => ({ default: (await import('./add-secret.tsx')).AddSecret }))

interface SecretsProps {
  workspace: string
  account: SystemToSystem
}

/** The secrets of an account. Two at a time let it change over without an outage. */
export const Secrets = ({ workspace, account }: SecretsProps) => {
  const { clientId, secrets } = account
  const remove = useChange('removeSecret')
  const newest = secrets.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1))[0]
  const stillUsed = secrets.filter(secret => secret !== newest && isStillUsed(secret, newest))
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4">
          Client Secrets
        </Title>
        <OpensDialogue label="Make another secret" variant="default">
          {opened => <AddSecret workspace={workspace} clientId={clientId} {...opened} />}
        </OpensDialogue>
      </Group>
      {stillUsed.length > 0 && (
        <Alert color="yellow" title="An older secret is still in use">
          {stillUsed.map(secret => (
            <Text key={secret.id} size="sm">
              The secret {nameOf(secret)} was last used {ago(secret.lastUsedAt ?? '')}.
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
        keyOf={({ id }) => id}
        columns={[
          {
            heading: 'Secret',
            cell: secret => (
              <Stack gap={0}>
                <Text size="sm">{nameOf(secret)}</Text>
                <Text size="xs" c="dimmed" ff="monospace">
                  {secret.id}
                </Text>
              </Stack>
            ),
          },
          { heading: 'Made', cell: ({ createdAt }) => <When at={createdAt} /> },
          { heading: 'Expires', cell: ({ expiresAt }) => <When at={expiresAt} /> },
          { heading: 'Last used', cell: ({ lastUsedAt }) => <When at={lastUsedAt} /> },
          {
            heading: '',
            cell: secret => (
              <Confirm
                label="Remove"
                description={`Remove the secret ${nameOf(secret)}`}
                question={`Remove the secret ${nameOf(secret)}?`}
                onConfirm={() => remove.mutateAsync({ params: { workspace, clientId, secretId: secret.id } })}
              >
                {stillUsed.includes(secret)
                  ? 'It is still in use: the application that sends it is refused at its next token.'
                  : 'No token can be got with it any more.'}
              </Confirm>
            ),
          },
        ]}
      />
    </Stack>
  )
}

/** What people tell it by: how it begins, else when it was made. */
const nameOf = ({ hint, createdAt }: Secret): string =>
  hint === null ? `made ${formatted(createdAt)}` : `${hint}…`

const daySeconds = 86_400

/** Whether it was used within a day, after the newest was made. RFC 3339 in UTC sorts as text. */
const isStillUsed = ({ lastUsedAt }: Secret, newest: Secret | undefined): boolean =>
  lastUsedAt !== null &&
  newest !== undefined &&
  lastUsedAt > newest.createdAt &&
  Date.now() - Date.parse(lastUsedAt) < daySeconds * 1000
