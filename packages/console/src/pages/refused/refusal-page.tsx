/** Why was I refused? Shows the checks of a request ID or a token. */
import { Alert, Button, Code, Group, List, Stack, Text, Textarea, ThemeIcon, Title } from '@mantine/core'
import type { Check } from '@querent/contract/manage'
import { IconCheck, IconMinus, IconX } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { management } from '#api/manage.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import { Moment } from '#ui/moment.tsx'
import { Page } from '#ui/page.tsx'

/** Labels of the checks (query-service.md, "Why was I refused?"). */
const checkLabels: Readonly<Record<Check['name'], string>> = {
  token: 'Token format',
  issuer: 'Issuer',
  signature: 'Signature',
  audience: 'Audience',
  clock: 'Validity period',
  proof: 'DPoP proof',
  revocation: 'Revocation',
  client: 'Client',
  account: 'Account',
  'client-workspace': 'Workspace of the client',
  membership: 'Membership',
  role: 'Role',
  'second-factor': 'Second factor',
  'row-filter': 'Row filter',
}

/** A JWT (RFC 7519) has three parts; a request id is a UUID. */
const isToken = (text: string): boolean => /^(bearer\s+)?[\w-]+\.[\w-]*\.[\w-]*$/i.test(text)

interface Answer {
  checks: Check[]
  request?: { at: string; path: string; status: number }
}

const loadChecks = async (text: string, workspace: string): Promise<Answer> => {
  if (isToken(text)) {
    const token = text.replace(/^bearer\s+/i, '')
    const { checks } = await management.call('inspectToken', { input: { token, workspace } })
    return { checks }
  }
  const { checks, ...request } = await management.call('getRefusal', { params: { requestId: text } })
  return { checks, request }
}

/** Submits the form on Enter. Shift+Enter inserts a line break. */
const submitByEnter = (event: KeyboardEvent<HTMLTextAreaElement>) => {
  if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
  event.preventDefault()
  event.currentTarget.form?.requestSubmit()
}

export const RefusalPage = () => {
  const { workspace } = useParams({ from: '/signed-in/w/$workspace/refused' })
  const [text, setText] = useState('')
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: (input: string) => loadChecks(input, workspace),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate(text.trim())
  }
  return (
    <Page
      title="Why was I refused?"
      description="Every 401 or 403 reply has a request ID, in its body and in the header X-Request-Id. You can look it up for 24 hours."
    >
      <form onSubmit={submit}>
        <Stack gap="sm" maw={720}>
          <Textarea
            label="Request ID or access token"
            description="A token is checked against this workspace. It is only sent to this server, and not stored."
            required
            autosize
            minRows={2}
            maxRows={8}
            spellCheck={false}
            value={text}
            onChange={event => setText(event.currentTarget.value)}
            onKeyDown={submitByEnter}
          />
          <Group>
            <Button type="submit" loading={isPending}>
              Explain
            </Button>
          </Group>
        </Stack>
      </form>
      {error && <ErrorNote error={error} />}
      {data && <Explanation {...data} />}
    </Page>
  )
}

const Explanation = ({ checks, request }: Answer) => {
  const failed = checks.find(({ passed }) => passed === false)
  return (
    <Stack gap="sm" maw={720} role="status">
      <Title order={2} size="h4">
        {failed ? `Rejected: ${failed.message}` : 'Allowed'}
      </Title>
      {request && (
        <Text size="sm">
          {request.status} for <Code>{request.path}</Code>, <Moment moment={request.at} />
        </Text>
      )}
      <List spacing="sm" listStyleType="none" p={0}>
        {checks.map(check => (
          <List.Item key={check.name} icon={<Mark passed={check.passed} />}>
            <Text fw={600}>
              {checkLabels[check.name]}{' '}
              <Text span size="xs" c="dimmed" ff="monospace">
                {check.name}
              </Text>
            </Text>
            <Text size="sm">{check.message}</Text>
            {check.account && (
              <Text size="sm">
                {check.account.name}{' '}
                <Text span size="xs" c="dimmed" ff="monospace">
                  {check.account.id}
                </Text>
              </Text>
            )}
            {check.expected !== undefined && (
              <Alert color={check.passed === false ? 'red' : 'gray'} variant="light" mt={4}>
                expected <Code>{check.expected}</Code>
                {check.found !== undefined && (
                  <>
                    , found <Code>{check.found}</Code>
                  </>
                )}
              </Alert>
            )}
          </List.Item>
        ))}
      </List>
    </Stack>
  )
}

const Mark = ({ passed }: { passed: boolean | null }) => {
  if (passed === null)
    return (
      <ThemeIcon size={24} radius="xl" color="gray" role="img" aria-label="not run">
        <IconMinus size={16} />
      </ThemeIcon>
    )
  return passed ? (
    <ThemeIcon size={24} radius="xl" color="green" role="img" aria-label="passed">
      <IconCheck size={16} />
    </ThemeIcon>
  ) : (
    <ThemeIcon size={24} radius="xl" color="red" role="img" aria-label="failed">
      <IconX size={16} />
    </ThemeIcon>
  )
}
