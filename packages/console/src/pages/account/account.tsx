/** The account page: sessions, allowed applications, password, second factors. */
import { Badge, Button, Group, PasswordInput, Stack, Text, Title } from '@mantine/core'
import type { Session } from '@querent/contract/manage'
import { useSuspenseQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { readOperation, useOperation } from '#api/manage.ts'
import { ConfirmButton } from '#ui/confirm-button.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { Empty } from '#ui/empty.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { fieldFault } from '#ui/faults.ts'
import { formatMoment, Moment } from '#ui/moment.tsx'
import { Page } from '#ui/page.tsx'
import { SecondFactors } from './second-factors.tsx'

export const Account = () => {
  const { data: me } = useSuspenseQuery(readOperation('getMe', {}))
  return (
    <Page title="Account" description={me.name === me.email ? me.email : `${me.name}, ${me.email}`}>
      <Sessions />
      <Consents />
      <Password email={me.email} />
      <SecondFactors />
    </Page>
  )
}

const Sessions = () => {
  const { data } = useSuspenseQuery(readOperation('listMySessions', {}))
  const end = useOperation('endMySession')
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        Active sessions
      </Title>
      <DataTable
        caption="Sessions"
        rows={data.items}
        rowKey={({ id }) => id}
        columns={[
          {
            heading: 'Device',
            cell: session => (
              <Group gap="xs">
                {describeBrowser(session)}
                {session.current && <Badge variant="light">this device</Badge>}
              </Group>
            ),
          },
          { heading: 'IP address', cell: ({ address }) => address ?? 'unknown' },
          { heading: 'Signed in', cell: ({ signedInAt }) => <Moment moment={signedInAt} /> },
          { heading: 'Last used', cell: ({ lastUsedAt }) => <Moment moment={lastUsedAt} /> },
          {
            heading: 'Expires',
            cell: ({ expiresAt }) => <Moment moment={expiresAt} never="when the browser closes" />,
          },
          {
            heading: 'Applications',
            cell: ({ applications }) => applications.map(({ name }) => name).join(', '),
          },
          {
            heading: '',
            cell: session => (
              <ConfirmButton
                label="Sign out"
                description={`Sign out ${describeBrowser(session)}, signed in ${formatMoment(session.signedInAt)}`}
                question={session.current ? 'Sign out this device?' : 'Sign out that device?'}
                onConfirm={() => end.mutateAsync({ params: { sessionId: session.id } })}
              >
                Applications in this session lose access immediately.
              </ConfirmButton>
            ),
          },
        ]}
      />
    </Stack>
  )
}

/** `Firefox 145 on Linux`. Sessions of earlier versions did not note it. */
const describeBrowser = ({ browser, system }: Session): string =>
  `${browser ?? 'unknown browser'}${system === null ? '' : ` on ${system}`}`

const Consents = () => {
  const { data } = useSuspenseQuery(readOperation('listMyConsents', {}))
  const revoke = useOperation('withdrawMyConsent')
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        Allowed applications
      </Title>
      {data.items.length === 0 ? (
        <Empty title="No applications yet">
          Applications that you allow to access your account appear here. You can revoke their access at any
          time.
        </Empty>
      ) : (
        <DataTable
          caption="Allowed applications"
          rows={data.items}
          rowKey={({ clientId }) => clientId}
          columns={[
            { heading: 'Application', cell: ({ name }) => name },
            {
              heading: 'Workspace',
              cell: ({ workspace, clientId }) =>
                workspace ?? (clientId.startsWith('https://') ? 'several' : 'this server'),
            },
            { heading: 'Permissions', cell: ({ scopes }) => scopes.map(describeScope).join(', ') },
            { heading: 'Since', cell: ({ since }) => <Moment moment={since} /> },
            {
              heading: '',
              cell: ({ clientId, name }) => (
                <ConfirmButton
                  label="Revoke"
                  description={`Revoke access of ${name}`}
                  question={`Revoke access of ${name}?`}
                  onConfirm={() => revoke.mutateAsync({ params: { clientId } })}
                >
                  It loses access immediately, and asks for your consent when you use it again.
                </ConfirmButton>
              ),
            },
          ]}
        />
      )}
    </Stack>
  )
}

/** Descriptions of scopes, as on the consent page. */
const permissions: Readonly<Record<string, string>> = {
  openid: 'recognize you when you return',
  profile: 'see your name',
  email: 'see your e-mail address',
  offline_access: 'keep this access while you are away',
}
const describeScope = (scope: string): string => permissions[scope] ?? scope

const Password = ({ email }: { email: string }) => {
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const change = useOperation('changePassword')
  const save = (event: FormEvent) => {
    event.preventDefault()
    change.mutate(
      { input: { current, new: next } },
      {
        onSuccess: () => {
          setCurrent('')
          setNext('')
        },
      },
    )
  }
  return (
    <Stack gap="sm" maw={420}>
      <Title order={2} size="h4">
        Password
      </Title>
      <form onSubmit={save}>
        <Stack gap="sm">
          {/* For password managers: whose password it is. */}
          <input type="email" autoComplete="username" value={email} readOnly hidden />
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            required
            value={current}
            onChange={event => setCurrent(event.currentTarget.value)}
            error={fieldFault(change.error, 'current')}
          />
          <PasswordInput
            label="New password"
            autoComplete="new-password"
            required
            value={next}
            onChange={event => setNext(event.currentTarget.value)}
            error={fieldFault(change.error, 'new')}
          />
          {change.error && <ErrorNote error={change.error} fields={['current', 'new']} />}
          {change.isSuccess && (
            <Text role="status">Password changed. You are signed out everywhere else.</Text>
          )}
          <Group>
            <Button type="submit" loading={change.isPending}>
              Change password
            </Button>
          </Group>
        </Stack>
      </form>
    </Stack>
  )
}
