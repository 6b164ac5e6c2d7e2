/** Server > Signing keys. */
import { Alert, Badge, Code, Stack, Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { readOperation, useOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { ConfirmButton } from '#ui/confirm-button.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { Moment } from '#ui/moment.tsx'
import { Page } from '#ui/page.tsx'

const states = {
  next: { label: t('Next'), color: 'blue' },
  signs: { label: t('Signs'), color: 'green' },
  retired: { label: t('Retired'), color: 'gray' },
} as const

/** Enough to tell keys apart, and to type. */
const shownChars = 8

export const Keys = () => {
  const { data } = useSuspenseQuery(readOperation('listKeys', {}))
  const rotate = useOperation('rotateKeys')
  const withdraw = useOperation('withdrawKey')
  return (
    <Page
      title={t('Signing keys')}
      description={t(
        'They sign access tokens and ID tokens. Their public part is at /.well-known/jwks.json.',
      )}
      action={
        <ConfirmButton
          label={t('Rotate')}
          description={t('Rotate the signing keys')}
          question={t('Rotate the signing keys?')}
          color="querent"
          isProminent
          onConfirm={() => rotate.mutateAsync({ input: {} })}
        >
          {t(
            'New keys are published now and sign in 10 minutes. Existing tokens stay valid. If a key leaked, revoke it instead.',
          )}
        </ConfirmButton>
      }
    >
      {rotate.isSuccess && (
        <Alert color="green" variant="light" role="status">
          {t('The new keys are published. They sign in 10 minutes.')}
        </Alert>
      )}
      <DataTable
        caption={t('Signing keys')}
        rows={data.items}
        rowKey={({ kid }) => kid}
        columns={[
          {
            heading: t('Key'),
            cell: ({ kid }) => (
              <Text size="sm" ff="monospace" title={kid}>
                {kid.slice(0, shownChars)}…
              </Text>
            ),
            isWhole: true,
          },
          { heading: t('Algorithm'), cell: ({ algorithm }) => algorithm, isWhole: true },
          {
            heading: t('State'),
            cell: ({ state }) => <Badge color={states[state].color}>{states[state].label}</Badge>,
          },
          { heading: t('Signs from'), cell: ({ signsFrom }) => <Moment moment={signsFrom} /> },
          {
            heading: t('Signs until'),
            cell: ({ signsUntil }) => <Moment moment={signsUntil} never={t('no successor yet')} />,
          },
          {
            heading: '',
            cell: ({ kid }) => (
              <ConfirmButton
                label={t('Revoke')}
                description={t('Revoke the key {key}', { key: kid.slice(0, shownChars) })}
                question={t('Revoke this signing key?')}
                typed={kid.slice(0, shownChars)}
                onConfirm={() => withdraw.mutateAsync({ params: { kid } })}
              >
                <Stack gap="xs">
                  <Text>
                    {t(
                      'Only if it leaked. Tokens that it signed are rejected at once. Applications get new ones with their secrets and refresh tokens.',
                    )}
                  </Text>
                  <Code>{kid}</Code>
                </Stack>
              </ConfirmButton>
            ),
          },
        ]}
      />
    </Page>
  )
}
