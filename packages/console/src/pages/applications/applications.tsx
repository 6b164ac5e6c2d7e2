/** Settings > Applications: applications that people sign in to. */

import { Badge, Group, Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazy } from 'react'
import { readOperation, useOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { ConfirmButton } from '#ui/confirm-button.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { DialogButton } from '#ui/dialog-button.tsx'
import { Empty } from '#ui/empty.tsx'
import { Moment } from '#ui/moment.tsx'
import { Page } from '#ui/page.tsx'
import { applicationTypes } from './application-types.ts'
import { RegistrationTokens } from './registration-tokens.tsx'

const EditApplication = lazy(async () => ({
  default: (await import('./edit-application.tsx')).EditApplication,
}))
const SnippetDialog = lazy(async () => ({ default: (await import('./snippet.tsx')).SnippetDialog }))
const RegisterApplication = lazy(async () => ({
  default: (await import('./register-application.tsx')).RegisterApplication,
}))

export const Applications = () => {
  const { workspace } = useParams({ from: '/signed-in/w/$workspace/settings/applications' })
  const { data } = useSuspenseQuery(
    readOperation('listApplications', { params: { workspace }, query: { count: 1000 } }),
  )
  const remove = useOperation('removeApplication')
  return (
    <Page
      title={t('Applications')}
      description={t(
        'Websites, apps and servers that people sign in to with their account. They can only query this workspace.',
      )}
      action={
        <DialogButton label={t('Register application')} hash="register">
          {dialog => <RegisterApplication workspace={workspace} {...dialog} />}
        </DialogButton>
      }
    >
      {data.items.length === 0 ? (
        <Empty title={t('No applications yet')}>
          {t('Register the application that people sign in to. It gets a Client ID and sample code.')}
        </Empty>
      ) : (
        <DataTable
          caption={t('Applications')}
          rows={data.items}
          rowKey={({ clientId }) => clientId}
          columns={[
            {
              heading: t('Name'),
              cell: ({ name, type, own, disabled }) => (
                <>
                  <Group gap="xs">
                    {name}
                    {own && <Badge variant="light">{t('first-party')}</Badge>}
                    {disabled && <Badge color="gray">{t('disabled')}</Badge>}
                  </Group>
                  <Text size="xs" c="dimmed">
                    {applicationTypes.find(({ value }) => value === type)?.label ?? type}
                  </Text>
                </>
              ),
            },
            { heading: t('Client ID'), cell: ({ clientId }) => <code>{clientId}</code> },
            {
              heading: t('Redirect URIs'),
              cell: ({ redirectUris }) => redirectUris.map(uri => <div key={uri}>{uri}</div>),
              isWhole: 'narrow',
            },
            { heading: t('Registered'), cell: ({ createdAt }) => <Moment moment={createdAt} /> },
            {
              heading: '',
              cell: application => (
                <Group gap={4} wrap="nowrap" justify="flex-end">
                  <DialogButton
                    label={t('Edit')}
                    description={t('Edit {name}', { name: application.name })}
                    size="compact-sm"
                    variant="subtle"
                  >
                    {dialog => (
                      <EditApplication workspace={workspace} application={application} {...dialog} />
                    )}
                  </DialogButton>
                  <DialogButton
                    label={t('Code')}
                    description={t('Code for {name}', { name: application.name })}
                    size="compact-sm"
                    variant="subtle"
                  >
                    {dialog => <SnippetDialog workspace={workspace} application={application} {...dialog} />}
                  </DialogButton>
                  <ConfirmButton
                    label={t('Delete')}
                    description={t('Delete {name}', { name: application.name })}
                    question={t('Delete {name}?', { name: application.name })}
                    onConfirm={() =>
                      remove.mutateAsync({ params: { workspace, clientId: application.clientId } })
                    }
                  >
                    {t('Its tokens and grants stop working immediately.')}
                  </ConfirmButton>
                </Group>
              ),
            },
          ]}
        />
      )}
      <RegistrationTokens workspace={workspace} />
    </Page>
  )
}
