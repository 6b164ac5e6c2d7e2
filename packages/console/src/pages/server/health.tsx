import { Badge, Box, Flex, Group, Stack, Text } from '@mantine/core'
import type { HealthCheck } from '@querent/contract/manage'
import { IconCheck } from '@tabler/icons-react'
import { t, translateHealth } from '#i18n/translate.ts'
import { CodeText } from '#ui/code-text.tsx'
import { formatMoment } from '#ui/moment.tsx'

/** Names of the checks (contract, HealthCheck). A check of a later version has its own name. */
const names: Readonly<Record<string, string>> = {
  addresses: t('Addresses'),
  storage: t('Storage'),
  clock: t('Clock'),
  keys: t('Signing keys'),
  engine: t('Search engine'),
  disk: t('Disk space'),
  mail: t('Mail'),
  backup: t('Backup'),
  proxy: t('Proxy'),
  node: t('Node'),
  limits: t('Limits'),
  people: t('People'),
  domains: t('Domains'),
  secrets: t('Secrets'),
  'former address': t('Former address'),
}

const states = {
  fail: { label: t('Failed'), color: 'red', order: 0 },
  warn: { label: t('Warning'), color: 'yellow', order: 1 },
  ok: { label: t('OK'), color: 'green', order: 2 },
} as const

/** A check of the server, or the one of the browser, whose sentences are in the person's language. */
export type ShownCheck = HealthCheck & { isTranslated?: true }

/** Results of checks, the worst first. `label` names the list for screen readers. */
export const Checks = ({ checks, label }: { checks: readonly ShownCheck[]; label: string }) => (
  <Stack component="ul" gap="sm" m={0} p={0} aria-label={label} style={{ listStyle: 'none' }}>
    {checks
      .toSorted((a, b) => states[a.state].order - states[b.state].order)
      .map(({ name, state, message, messageParts, advice, adviceParts, isTranslated }) => (
        <Flex
          component="li"
          key={`${name} ${message}`}
          direction={{ base: 'column', sm: 'row' }}
          gap={{ base: 2, sm: 'sm' }}
          align="flex-start"
        >
          <Mark state={state} />
          <Stack gap={0} miw={0}>
            <Text size="sm" fw={600}>
              {names[name] ?? name}
            </Text>
            <Text size="sm">
              <Sentence english={message} parts={messageParts} isTranslated={isTranslated} />
            </Text>
            {advice !== undefined && (
              <Text size="sm" c="dimmed">
                <Sentence english={advice} parts={adviceParts} isTranslated={isTranslated} />
              </Text>
            )}
          </Stack>
        </Flex>
      ))}
  </Stack>
)

interface SentenceProps {
  english: string
  parts: HealthCheck['messageParts']
  isTranslated: true | undefined
}

/** A sentence in the person's language, or the server's English one. */
const Sentence = ({ english, parts, isTranslated }: SentenceProps) => {
  const translation = isTranslated ? english : translateHealth(parts)
  return (
    <span {...(translation === undefined ? { lang: 'en' } : {})}>
      <CodeText>{writeSentence(translation ?? english)}</CodeText>
    </span>
  )
}

/** Writes a text of `querent doctor` as a sentence, with times in the reader's zone. Code at its beginning stays as it is. */
const writeSentence = (text: string): string => {
  const readable = text.replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, formatMoment)
  return `${readable.slice(0, 1).toUpperCase()}${readable.slice(1)}${/[.:!?]$/.test(readable) ? '' : '.'}`
}

/** Quiet if the check passed, a label otherwise. Each has as much room, so that the texts are below each other. On a phone they are above the texts. */
const Mark = ({ state }: { state: HealthCheck['state'] }) => {
  const { label, color } = states[state]
  return (
    <Box w={{ base: 'max-content', sm: '6.75rem' }} mt={2} style={{ flexShrink: 0 }}>
      {state === 'ok' ? (
        <Group gap={6} wrap="nowrap" c="var(--mantine-color-green-light-color)">
          <IconCheck size={16} aria-hidden />
          <Text size="xs">{label}</Text>
        </Group>
      ) : (
        <Badge color={color}>{label}</Badge>
      )}
    </Box>
  )
}

/** One sentence about all checks. */
export const summarizeChecks = (checks: readonly HealthCheck[]): string => {
  const failed = checks.filter(({ state }) => state === 'fail').length
  const warned = checks.filter(({ state }) => state === 'warn').length
  if (failed > 0) return t('Something does not work: follow the advice below.')
  return warned > 0 ? t('Everything works, with warnings.') : t('Everything works.')
}
