/** Changes the password. */
import { Button, Group, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { management, readOperation } from '#api/manage.ts'
import {
  type AccountDraft,
  mayAskForSecrets,
  runWithRecentSignIn,
  signInForAccount,
} from '#api/recent-sign-in.ts'
import { t } from '#i18n/translate.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import { fieldFault } from '#ui/faults.ts'

/** `draft`: the form that the person left for a fresh sign-in. Passwords are not kept meanwhile, so it asks for the sign-in before it shows fields. */
export const Password = ({ email, draft }: { email: string; draft: AccountDraft | undefined }) => {
  const { data: factors } = useSuspenseQuery(readOperation('listMyFactors', {}))
  const hasFactor = factors.app !== null || factors.passkeys.length > 0
  const [mayAsk] = useState(() => mayAskForSecrets(hasFactor))
  const section = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // Also scrolls there.
    if (draft?.form === 'password')
      section.current?.querySelector<HTMLElement>('input[type=password]')?.focus()
  }, [draft])
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const cache = useQueryClient()
  const change = useMutation({
    mutationFn: () =>
      runWithRecentSignIn(() => management.call('changePassword', { input: { current, new: next } }), {
        form: 'password',
      }),
    onSettled: () => cache.invalidateQueries(),
  })
  const save = (event: FormEvent) => {
    event.preventDefault()
    change.mutate(undefined, {
      onSuccess: () => {
        setCurrent('')
        setNext('')
      },
    })
  }
  if (!mayAsk)
    return (
      <Stack gap="sm" maw={560}>
        <Title order={2} size="h4">
          {t('Password')}
        </Title>
        <Text size="sm">{t('You need a sign-in of the last five minutes to change it.')}</Text>
        <Group>
          <Button variant="default" onClick={() => signInForAccount({ form: 'password' }, hasFactor)}>
            {t('Sign in again and change password')}
          </Button>
        </Group>
      </Stack>
    )
  return (
    <Stack gap="sm" maw={420} ref={section}>
      <Title order={2} size="h4">
        {t('Password')}
      </Title>
      <form onSubmit={save}>
        <Stack gap="sm">
          {/* For password managers: whose password it is. */}
          <input type="email" autoComplete="username" value={email} readOnly hidden />
          <PasswordInput
            label={t('Current password')}
            autoComplete="current-password"
            required
            value={current}
            onChange={event => setCurrent(event.currentTarget.value)}
            error={fieldFault(change.error, 'current')}
          />
          <PasswordInput
            label={t('New password')}
            autoComplete="new-password"
            required
            value={next}
            onChange={event => setNext(event.currentTarget.value)}
            error={fieldFault(change.error, 'new')}
          />
          {change.error && <ErrorNote error={change.error} fields={['current', 'new']} />}
          {change.isSuccess && (
            <Text role="status">{t('Password changed. You are signed out everywhere else.')}</Text>
          )}
          <Group>
            <Button type="submit" loading={change.isPending}>
              {t('Change password')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Stack>
  )
}
