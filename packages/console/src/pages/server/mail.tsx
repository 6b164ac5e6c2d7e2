/** Server > Mail: sends a test mail and shows the answer of the mail server. */
import { Alert, Button, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { readOperation, useOperation } from '#api/manage.ts'
import { person } from '#api/session.ts'
import { t } from '#i18n/translate.ts'
import { Empty } from '#ui/empty.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { Facts } from '#ui/facts.tsx'
import { fieldFault } from '#ui/faults.ts'
import { Page } from '#ui/page.tsx'

export const Mail = () => {
  const { data } = useSuspenseQuery(readOperation('getServer', {}))
  return (
    <Page title={t('Mail')} description={t('The server mails invitations and links to choose a password.')}>
      {data.mail ? (
        <>
          <Facts
            facts={[
              [t('Mail server'), data.mail.server],
              [t('Sender'), data.mail.from],
            ]}
          />
          <TestMail />
        </>
      ) : (
        <Empty title={t('No mail server')}>
          <Stack gap="xs" align="center">
            <Text>{t('You copy the links of invitations and send them yourself.')}</Text>
            <Text>{t('To send mails, start the server with these settings:')}</Text>
            <Code block ta="start" maw="100%" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {
                'QUERENT_SMTP_URL=smtps://USER:PASSWORD@mail.example.org\nQUERENT_MAIL_FROM=search@example.org'
              }
            </Code>
          </Stack>
        </Empty>
      )}
    </Page>
  )
}

const TestMail = () => {
  const [to, setTo] = useState(person()?.email ?? '')
  const test = useOperation('sendTestMail')
  const send = (event: FormEvent) => {
    event.preventDefault()
    test.mutate({ input: { to } })
  }
  return (
    <form onSubmit={send}>
      <Stack maw={560}>
        <TextInput
          label={t('Send a test mail to')}
          type="email"
          required
          value={to}
          onChange={event => {
            test.reset()
            setTo(event.currentTarget.value)
          }}
          error={fieldFault(test.error, 'to')}
        />
        <Group>
          <Button type="submit" loading={test.isPending}>
            {t('Send')}
          </Button>
        </Group>
        {test.error && <ErrorNote error={test.error} fields={['to']} />}
        {test.data && (
          <Alert
            color={test.data.accepted ? 'green' : 'red'}
            variant="light"
            role="status"
            title={
              test.data.accepted
                ? t('The mail server accepted the mail')
                : t('The mail server did not accept the mail')
            }
          >
            <Stack gap="xs" align="flex-start">
              <Code style={{ whiteSpace: 'pre-wrap' }}>{test.data.answer}</Code>
              {test.data.accepted && (
                <Text size="sm">
                  {t('If it does not arrive, look at the spam folder and at the sender.')}
                </Text>
              )}
            </Stack>
          </Alert>
        )}
      </Stack>
    </form>
  )
}
