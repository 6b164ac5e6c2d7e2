import { Text } from '@mantine/core'
import { t } from '#i18n/translate.ts'
import type { Answer } from './answer.ts'

/** How long the answer took, and its request id, which logs and "Why was I refused?" have too. */
export const AnswerFacts = ({ requestId, serverMs, totalMs }: Answer) => (
  <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
    {serverMs === undefined
      ? t('{total} ms', { total: Math.round(totalMs) })
      : t('{total} ms, of which server {server} ms', {
          total: Math.round(totalMs),
          server: serverMs,
        })}
    {requestId !== undefined && ` · ${t('request {id}', { id: requestId })}`}
  </Text>
)
