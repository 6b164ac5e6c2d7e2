import { Alert, Group, Stack, Text, Title } from '@mantine/core'
import type { Secret, SystemToSystem } from '@querent/contract/manage'
import { lazy } from 'react'
import { useOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { ConfirmButton } from '#ui/confirm-button.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { DialogButton } from '#ui/dialog-button.tsx'
import { formatMoment, formatRelative, Moment } from '#ui/moment.tsx'

const AddSecret = lazy(async () => ({ default: (await import('./add-secret.tsx')).AddSecret }))

interface SecretsProps {
  workspace: string
  account: SystemToSystem
}

/** The secrets of an account. With two secrets, an application can switch without an outage. */
export const Secrets = ({ workspace, account }: SecretsProps) => {
  const { clientId, secrets } = account
  const remove = useOperation('removeSecret')
  const newest = secrets.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1))[0]
  const stillUsed = secrets.filter(secret => secret !== newest && isStillUsed(secret, newest))
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4">
          {t('Client Secrets')}
        </Title>
        <DialogButton label={t('Add secret')} variant="default">
          {dialog => <AddSecret workspace={workspace} clientId={clientId} {...dialog} />}
        </DialogButton>
      </Group>
      {stillUsed.length > 0 && (
        <Alert color="yellow" title={t('An older secret is still in use')}>
          {stillUsed.map(secret => (
            <Text key={secret.id} size="sm">
              {t('The secret {secret} was last used {time}.', {
                secret: nameSecret(secret),
                time: formatRelative(secret.lastUsedAt ?? ''),
              })}
            </Text>
          ))}
          <Text size="sm">
            {t(
              'Give the application the new secret before you delete the old one. This warning stays for 24 hours after the last use of an older secret. Uses appear up to a minute late.',
            )}
          </Text>
        </Alert>
      )}
      {secrets.length > 1 && newest?.lastUsedAt && stillUsed.length === 0 && (
        <Alert color="gray" title={t('The older secrets no longer seem to be in use')}>
          {t(
            'The newest secret is in use. Uses appear up to a minute late. Delete an older secret when it has not been used for longer than your application keeps a token.',
          )}
        </Alert>
      )}
      <DataTable
        caption={t('Client Secrets')}
        rows={secrets}
        rowKey={({ id }) => id}
        columns={[
          {
            heading: t('Secret'),
            cell: secret => (
              <Stack gap={0}>
                <Text size="sm">{nameSecret(secret)}</Text>
                <Text size="xs" c="dimmed" ff="monospace">
                  {secret.id}
                </Text>
              </Stack>
            ),
          },
          { heading: t('Created'), cell: ({ createdAt }) => <Moment moment={createdAt} /> },
          { heading: t('Expires'), cell: ({ expiresAt }) => <Moment moment={expiresAt} /> },
          { heading: t('Last used'), cell: ({ lastUsedAt }) => <Moment moment={lastUsedAt} /> },
          {
            heading: '',
            cell: secret => (
              <ConfirmButton
                label={t('Delete')}
                description={t('Delete the secret {secret}', { secret: nameSecret(secret) })}
                question={t('Delete the secret {secret}?', { secret: nameSecret(secret) })}
                onConfirm={() => remove.mutateAsync({ params: { workspace, clientId, secretId: secret.id } })}
              >
                {stillUsed.includes(secret)
                  ? t('It is still in use: the application that sends it cannot get another token.')
                  : t('Applications can no longer get tokens with it.')}
              </ConfirmButton>
            ),
          },
        ]}
      />
    </Stack>
  )
}

/** Names a secret by its first characters, or else by its time of creation. */
const nameSecret = ({ hint, createdAt }: Secret): string =>
  hint === null ? t('created {time}', { time: formatMoment(createdAt) }) : `${hint}…`

const daySeconds = 86_400

/** Returns whether it was used within a day, and after the newest was created. RFC 3339 in UTC sorts as text. */
const isStillUsed = ({ lastUsedAt }: Secret, newest: Secret | undefined): boolean =>
  lastUsedAt !== null &&
  newest !== undefined &&
  lastUsedAt > newest.createdAt &&
  Date.now() - Date.parse(lastUsedAt) < daySeconds * 1000
