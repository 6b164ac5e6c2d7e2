/** The person's second factors. They change on pages of the authorization server, after a fresh sign-in. */
import { Anchor, Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { authUrl } from '#api/addresses.ts'
import { readOperation } from '#api/manage.ts'
import { language, t, tCount } from '#i18n/translate.ts'
import { Moment } from '#ui/moment.tsx'

const factorsUrl = `${authUrl}/factors`
const withLanguage = (url: string): string => `${url}?ui_locales=${language}`

export const SecondFactors = () => {
  const { data } = useSuspenseQuery(readOperation('listMyFactors', {}))
  const hasFactor = data.app !== null || data.passkeys.length > 0
  return (
    <Stack gap="sm" maw={560}>
      <Title order={2} size="h4">
        {t('Second factors')}
      </Title>
      <Text size="sm">
        {hasFactor
          ? t('You confirm each sign-in with one of these.')
          : t('With an authenticator app or a passkey, a stolen password is not enough to sign in as you.')}
      </Text>
      {data.app && (
        <Factor
          name={t('Authenticator app')}
          createdAt={data.app.createdAt}
          lastUsedAt={data.app.lastUsedAt}
        />
      )}
      {data.passkeys.map(({ id, name, createdAt, lastUsedAt }) => (
        <Factor key={id} name={name} kind={t('Passkey')} createdAt={createdAt} lastUsedAt={lastUsedAt} />
      ))}
      {hasFactor && (
        <Text size="sm">
          {tCount(data.recoveryCodes, '{count} unused recovery code', '{count} unused recovery codes')}
        </Text>
      )}
      <Group>
        <Button component="a" href={withLanguage(hasFactor ? factorsUrl : `${factorsUrl}/app`)}>
          {hasFactor ? t('Manage second factors') : t('Set up an authenticator app')}
        </Button>
        {!hasFactor && <Anchor href={withLanguage(factorsUrl)}>{t('Other second factors')}</Anchor>}
      </Group>
    </Stack>
  )
}

interface FactorProps {
  name: string
  kind?: string
  createdAt: string
  lastUsedAt: string | null
}

const Factor = ({ name, kind, createdAt, lastUsedAt }: FactorProps) => (
  <Paper withBorder p="sm">
    <Group justify="space-between" gap="xs">
      <Group gap="xs">
        <Text fw={600}>{name}</Text>
        {kind !== undefined && <Badge variant="light">{kind}</Badge>}
      </Group>
      <Text size="sm" c="dimmed">
        {t('Added')} <Moment moment={createdAt} />, {t('last used')}{' '}
        <Moment moment={lastUsedAt} never={t('never')} />
      </Text>
    </Group>
  </Paper>
)
