/** The domains of the workspace's own OpenID provider: whether each is proved, and how to prove it. */
import { Alert, Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { ProviderDomain } from '@querent/contract/manage'
import { useSuspenseQuery } from '@tanstack/react-query'
import { readOperation, useOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { CopyValue } from '#ui/copy-value.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { formatMoment } from '#ui/moment.tsx'

interface DomainsProps {
  workspace: string
  domains: readonly ProviderDomain[]
}

export const ProviderDomains = ({ workspace, domains }: DomainsProps) => (
  <Stack gap="sm" maw={720}>
    <Title order={3} size="h5">
      {t('Domains')}
    </Title>
    <Text size="sm" c="dimmed">
      {t('The provider signs in people of a domain once it is proved that the domain is yours.')}
    </Text>
    {domains.map(domain => (
      <Domain key={domain.domain} workspace={workspace} state={domain} />
    ))}
  </Stack>
)

const Domain = ({ workspace, state }: { workspace: string; state: ProviderDomain }) => {
  const { domain, proof, endsAt, needsOperator, lastCheck, checkedAt, record } = state
  return (
    <Paper withBorder p="sm" component="section" aria-label={domain}>
      <Stack gap="sm">
        <Group gap="sm">
          <Text fw={600}>{domain}</Text>
          <Badge color={badgeColors[state.state]} variant="light">
            {stateNames[state.state]}
          </Badge>
          {proof !== null && (
            <Text size="sm" c="dimmed">
              {proofNames[proof]}
            </Text>
          )}
        </Group>
        {endsAt !== null && (
          <Alert color="yellow" variant="light" title={t('The TXT record was not found')}>
            <Text size="sm">
              {t('The domain counts until {time}. Add the record again before then.', {
                time: formatMoment(endsAt),
              })}
            </Text>
          </Alert>
        )}
        {needsOperator && proof === null ? (
          <Text size="sm">
            {t('The domain belongs to a public mail service. Only an operator can prove it.')}
          </Text>
        ) : (
          (proof === null || proof === 'dns') && (
            <CopyValue label={t('TXT record of the domain')} value={record} />
          )
        )}
        {lastCheck !== null && checkedAt !== null && (
          <Text size="sm">
            {t('{result}, {time}', { result: checkNames[lastCheck], time: formatMoment(checkedAt) })}
          </Text>
        )}
        <Actions workspace={workspace} state={state} />
      </Stack>
    </Paper>
  )
}

const Actions = ({ workspace, state }: { workspace: string; state: ProviderDomain }) => {
  const { domain, proof, needsOperator, link } = state
  const { data: me } = useSuspenseQuery(readOperation('getMe', {}))
  const check = useOperation('checkProviderDomain')
  const send = useOperation('sendProviderDomainLink')
  const prove = useOperation('proveProviderDomain')
  const params = { workspace, domain }
  const mayMail = proof === null && !needsOperator && me.canMail !== false
  const mayCheck = !needsOperator && (proof === null || proof === 'dns')
  const error = check.error ?? send.error ?? prove.error
  const isWaiting = send.data?.mail === 'waiting'
  const isRefused = send.data !== undefined && send.data.mail !== 'accepted' && !isWaiting
  return (
    <Stack gap="xs">
      <Group gap="xs">
        {mayCheck && (
          <Button
            size="compact-sm"
            variant="light"
            loading={check.isPending}
            onClick={() => {
              send.reset()
              prove.reset()
              check.mutate({ params })
            }}
          >
            {t('Check now')}
          </Button>
        )}
        {mayMail &&
          mailboxes.map(to => (
            <Button
              key={to}
              size="compact-sm"
              variant="default"
              loading={send.isPending && send.variables.input.to === to}
              onClick={() => {
                check.reset()
                send.mutate({ params, input: { to } })
              }}
            >
              {t('Send the link to {address}', { address: `${to}@${domain}` })}
            </Button>
          ))}
        {proof === null && me.operator === true && (
          <Button
            size="compact-sm"
            variant="default"
            loading={prove.isPending}
            onClick={() => {
              check.reset()
              send.reset()
              prove.mutate({ params })
            }}
          >
            {t('Prove as an operator')}
          </Button>
        )}
      </Group>
      {link !== null && !isRefused && (
        <Text size="sm" role="status">
          {t('A link was sent to {address}. It works once, until {time}.', {
            address: link.address,
            time: formatMoment(link.expiresAt),
          })}
        </Text>
      )}
      {isWaiting && (
        <Text size="sm" role="status">
          {t('The mail server did not accept the mail yet. The server tries again for a day.')}
        </Text>
      )}
      {isRefused && (
        <Text size="sm" role="status">
          {t('The mail server did not accept the mail. Use the other address, or add the TXT record.')}
        </Text>
      )}
      {error && <ErrorNote error={error} />}
    </Stack>
  )
}

const mailboxes = ['postmaster', 'admin'] as const
const badgeColors = { proved: 'green', failing: 'yellow', unproved: 'gray' } as const
const stateNames = { proved: t('proved'), failing: t('record missing'), unproved: t('not proved') } as const
const proofNames = {
  dns: t('by its TXT record'),
  email: t('by a mailed link'),
  operator: t('by an operator'),
} as const
const checkNames = {
  found: t('The record was found'),
  missing: t('The record was not found'),
  'no-answer': t('The DNS did not answer'),
} as const
