import { Badge, Group, Stack, Text, Title } from '@mantine/core'
import type { SystemToSystem } from '@querent/contract/manage'
import { useSuspenseQuery } from '@tanstack/react-query'
import { lazy } from 'react'
import { readOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { DataTable } from '#ui/data-table.tsx'
import { DialogButton } from '#ui/dialog-button.tsx'
import { Empty } from '#ui/empty.tsx'
import { TextLink } from '#ui/links.tsx'
import { MemberGroupNames } from '#ui/member-group-names.tsx'
import { Moment } from '#ui/moment.tsx'
import { Roles } from '#ui/roles.tsx'
import { SeenDocuments } from '#ui/seen-documents.tsx'

const CreateSystemToSystemAccount = lazy(async () => ({
  default: (await import('./create-system-to-system-account.tsx')).CreateSystemToSystemAccount,
}))

/** Lists System-to-System accounts. `search` is the start of a name or a Client ID; empty lists all. */
export const SystemToSystemAccounts = ({ workspace, search }: { workspace: string; search: string }) => {
  const { data } = useSuspenseQuery(
    readOperation('listSystemToSystem', { params: { workspace }, query: { count: 1000, search } }),
  )
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4">
          {t('System-to-System accounts')}
        </Title>
        <DialogButton label={t('Create System-to-System account')} hash="create-account">
          {dialog => <CreateSystemToSystemAccount workspace={workspace} {...dialog} />}
        </DialogButton>
      </Group>
      {data.items.length === 0 ? (
        <NoAccounts search={search} />
      ) : (
        <DataTable
          caption={t('System-to-System accounts')}
          rows={data.items}
          rowKey={({ clientId }) => clientId}
          columns={[
            {
              heading: t('Name'),
              cell: ({ clientId, name, disabled }) => (
                <Group gap="xs">
                  <TextLink
                    to="/w/$workspace/settings/team-members/system-to-system/$clientId"
                    params={{ workspace, clientId }}
                  >
                    {name}
                  </TextLink>
                  {disabled && <Badge color="gray">{t('disabled')}</Badge>}
                </Group>
              ),
            },
            {
              heading: t('Client ID'),
              isWhole: true,
              cell: ({ clientId }) => (
                <Text ff="monospace" size="sm">
                  {clientId}
                </Text>
              ),
            },
            { heading: t('Roles'), cell: ({ roles }) => <Roles roles={roles} /> },
            {
              heading: t('Document access'),
              cell: account => (
                <SeenDocuments workspace={workspace} member={account.clientId} holder={account} />
              ),
            },
            ...(data.items.some(({ groups, until }) => groups !== undefined || until !== undefined)
              ? [
                  {
                    heading: t('Groups'),
                    cell: (account: SystemToSystem) => (
                      <MemberGroupNames workspace={workspace} holder={account} />
                    ),
                  },
                ]
              : []),
            {
              heading: t('Secrets'),
              cell: ({ publicKeys, secrets }) => (publicKeys ? 'public keys' : secrets.length),
            },
            { heading: t('Last used'), cell: ({ secrets }) => <Moment moment={lastUse(secrets)} /> },
          ]}
        />
      )}
    </Stack>
  )
}

const NoAccounts = ({ search }: { search: string }) =>
  search === '' ? (
    <Empty title={t('No System-to-System accounts yet')}>
      {t(
        'Your server uses one to get access tokens with a Client ID and a Client Secret. It cannot sign in to the console.',
      )}
    </Empty>
  ) : (
    <Text c="dimmed">{t('No accounts match.')}</Text>
  )

/** Returns the latest use. RFC 3339 in UTC sorts as text. */
const lastUse = (secrets: readonly { lastUsedAt: string | null }[]): string | null =>
  secrets
    .map(({ lastUsedAt }) => lastUsedAt)
    .filter(usedAt => usedAt !== null)
    .toSorted()
    .at(-1) ?? null
