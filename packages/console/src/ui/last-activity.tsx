import { Text } from '@mantine/core'
import { t } from '#i18n/translate.ts'

/** When the person was last active. The server keeps the minute: a first activity would seem to precede the membership. */
export const readLastActivity = ({
  lastActivityAt,
  createdAt,
}: {
  lastActivityAt: string | null
  createdAt: string
}): string | null =>
  lastActivityAt !== null && Date.parse(lastActivityAt) < Date.parse(createdAt) ? createdAt : lastActivityAt

export const ActivityNote = () => (
  <Text size="xs" c="dimmed">
    {t('Last activity: the last search or change that the workspace allowed. Sign-ins do not count.')}
  </Text>
)
