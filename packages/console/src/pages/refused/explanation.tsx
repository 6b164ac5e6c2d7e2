/** Why a request is rejected: one sentence, what to do, and the checks. */
import { Alert, Code, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import type { Check } from '@querent/contract/manage'
import { IconCheck, IconMinus, IconX } from '@tabler/icons-react'
import { t, tCount, tNodes, translateCheck } from '#i18n/translate.ts'
import { Moment } from '#ui/moment.tsx'
import { checkLabels } from './check-labels.ts'
import { CheckSentence } from './check-sentence.tsx'
import { explainFailure, findRemedy } from './explain.ts'
import { RemedyLink } from './remedy-link.tsx'

export interface Answer {
  checks: Check[]
  /** Whether the account of the token is a System-to-System account. */
  isSystem: boolean
  request?: { at: string; path: string; status: number; workspace: string }
}

export const Explanation = ({ workspace, answer }: { workspace: string; answer: Answer }) => {
  const { checks, request } = answer
  const failed = checks.find(({ passed }) => passed === false)
  const otherChecks = checks.filter(check => check !== failed)
  const passedCount = checks.filter(({ passed }) => passed === true).length
  return (
    <Stack gap="sm" maw={720} role="status">
      {failed ? (
        <Rejection workspace={workspace} answer={answer} failed={failed} />
      ) : (
        <Title order={2} size="h4">
          {t('Allowed: every check passed')}
        </Title>
      )}
      {request && (
        <Text size="sm">
          {tNodes('{status} for {path}, {moment}', {
            status: request.status,
            path: <Code key="path">{request.path}</Code>,
            moment: <Moment key="moment" moment={request.at} />,
          })}
        </Text>
      )}
      {failed && <CheckItem check={failed} />}
      {passedCount > 0 && (
        <details>
          <summary>{tCount(passedCount, '{count} check passed', '{count} checks passed')}</summary>
          <Stack component="ul" gap="sm" mt="sm" mb={0} p={0} style={{ listStyle: 'none' }}>
            {otherChecks.map(check => (
              <li key={check.name}>
                <CheckItem check={check} />
              </li>
            ))}
          </Stack>
        </details>
      )}
    </Stack>
  )
}

const Rejection = ({ workspace, answer, failed }: { workspace: string; answer: Answer; failed: Check }) => {
  const { checks, isSystem, request } = answer
  const findAccount = (name: Check['name']) => checks.find(check => check.name === name)?.account
  const failure = {
    check: failed,
    account: findAccount('membership') ?? findAccount('account'),
    client: findAccount('client'),
    isSystem,
  }
  const { text, place } = findRemedy(failure)
  const isHere = request === undefined || request.workspace === workspace
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {explainFailure(failure)}
      </Title>
      <Text>{text}</Text>
      {place && isHere && (
        <Group>
          <RemedyLink workspace={workspace} place={place} />
        </Group>
      )}
    </Stack>
  )
}

const CheckItem = ({ check }: { check: Check }) => {
  const { name, passed, message, account, expected, found } = check
  return (
    <Group gap="sm" align="flex-start" wrap="nowrap">
      <Mark passed={passed} />
      <Stack gap={2} miw={0}>
        <Text fw={600} size="sm">
          {checkLabels[name]}{' '}
          <Text span size="xs" c="dimmed" ff="monospace">
            {name}
          </Text>
        </Text>
        <Text size="sm">
          <CheckSentence>{message}</CheckSentence>
        </Text>
        {account && (
          <Text size="sm">
            {account.name}{' '}
            <Text span size="xs" c="dimmed" ff="monospace">
              {account.id}
            </Text>
          </Text>
        )}
        {expected !== undefined && found !== account?.name && (
          <Alert color={passed === false ? 'red' : 'gray'} variant="light" mt={4}>
            {found === undefined
              ? tNodes('expected {expected}', {
                  expected: <Code key="expected">{translateCheck(expected) ?? expected}</Code>,
                })
              : tNodes('expected {expected}, found {found}', {
                  expected: <Code key="expected">{translateCheck(expected) ?? expected}</Code>,
                  found: <Code key="found">{translateCheck(found) ?? found}</Code>,
                })}
          </Alert>
        )}
      </Stack>
    </Group>
  )
}

const Mark = ({ passed }: { passed: boolean | null }) => {
  if (passed === null)
    return (
      <ThemeIcon size={24} radius="xl" color="gray" role="img" aria-label={t('not run')}>
        <IconMinus size={16} />
      </ThemeIcon>
    )
  return passed ? (
    <ThemeIcon size={24} radius="xl" color="green" role="img" aria-label={t('passed')}>
      <IconCheck size={16} />
    </ThemeIcon>
  ) : (
    <ThemeIcon size={24} radius="xl" color="red" role="img" aria-label={t('failed')}>
      <IconX size={16} />
    </ThemeIcon>
  )
}
