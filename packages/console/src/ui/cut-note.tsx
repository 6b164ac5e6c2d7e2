import { Text } from '@mantine/core'
import { t } from '#i18n/translate.ts'

/** Says that a list of found documents is cut. */
export const CutNote = ({ count }: { count: number }) => (
  <Text size="xs" c="dimmed">
    {t('The first {count} results. Type more words to find others.', { count })}
  </Text>
)
