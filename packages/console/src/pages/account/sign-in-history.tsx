/** The person's last sign-ins, and failed attempts on their account. */
import { Stack, Text, Title } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { readOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { describeMethod, describeResult } from '#pages/sign-in-log/labels.ts'
import { DataTable } from '#ui/data-table.tsx'
import { Moment } from '#ui/moment.tsx'

const shownMax = 20

export const SignInHistory = () => {
  const { data } = useSuspenseQuery(readOperation('listMySignIns', { query: { count: shownMax } }))
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {t('Recent sign-ins')}
      </Title>
      <Text size="sm">{t('If one was not you, change your password and sign out everywhere else.')}</Text>
      <DataTable
        caption={t('Recent sign-ins')}
        rows={data.items}
        rowKey={({ id }) => id}
        columns={[
          { heading: t('Time'), cell: ({ at }) => <Moment moment={at} /> },
          { heading: t('What happened'), cell: describeMethod },
          { heading: t('Outcome'), cell: describeResult },
          { heading: t('Application'), cell: ({ application }) => application?.name ?? '' },
          {
            heading: t('Device'),
            cell: ({ browser, system }) => [browser, system].filter(part => part !== null).join(', '),
          },
          { heading: t('IP address'), cell: ({ address }) => address },
        ]}
      />
    </Stack>
  )
}
