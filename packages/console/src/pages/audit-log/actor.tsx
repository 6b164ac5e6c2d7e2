import { Stack, Text } from '@mantine/core'
import { displayEmail } from '@querent/contract/email-address'
import type { AuditEntry } from '@querent/contract/manage'
import { t } from '#i18n/translate.ts'
import { readProvider } from './details.ts'

/**
 * With the IP address, so that the table fits. Administrators choose their provider, and so whom it speaks for: readers must see that it
 * signed the actor in.
 */
export const Actor = (entry: AuditEntry) => {
  const provider = readProvider(entry)
  return (
    <Stack gap={0}>
      <ActorName actor={entry.actor} />
      {provider !== undefined && (
        <Text size="xs" c="dimmed">
          {t('signed in by {provider}', { provider })}
        </Text>
      )}
      <Text size="xs" c="dimmed" component="span">
        {entry.address}
      </Text>
    </Stack>
  )
}

/** The server names a registration token by its id, whose beginning is enough to tell it from others. */
const ActorName = ({ actor }: Pick<AuditEntry, 'actor'>) => {
  const tokenId = /^registration token (\S+)$/.exec(actor)?.[1]
  if (tokenId === undefined) return displayEmail(actor)
  return (
    <>
      {t('Registration token')}
      <Text size="xs" c="dimmed" ff="monospace" title={tokenId}>
        {tokenId.slice(0, 8)}…
      </Text>
    </>
  )
}
