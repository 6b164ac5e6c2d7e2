/** Name and email address of the person. */

import { Alert, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { displayEmail } from '@querent/contract/email-address'
import type { Me } from '@querent/contract/manage'
import { type FormEvent, useState } from 'react'
import { useOperation } from '#api/manage.ts'
import type { AccountDraft } from '#api/recent-sign-in.ts'
import { t } from '#i18n/translate.ts'
import { DialogButton } from '#ui/dialog-button.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { fieldFault } from '#ui/faults.ts'
import { formatMoment } from '#ui/moment.tsx'
import { EmailDialog } from './lazy-dialogs.ts'

/** `draft`: the form that the person left for a fresh sign-in. */
export const Profile = ({ me, draft }: { me: Me; draft: AccountDraft | undefined }) => (
  <Stack gap="sm" maw={560}>
    <Title order={2} size="h4">
      {t('Profile')}
    </Title>
    <Name me={me} />
    <Email me={me} draft={draft} />
  </Stack>
)

const Name = ({ me }: { me: Me }) => {
  const [name, setName] = useState(me.name === me.email ? '' : me.name)
  const update = useOperation('updateMe')
  const save = (event: FormEvent) => {
    event.preventDefault()
    update.mutate({ input: { name: name.trim() || me.email } })
  }
  return (
    <form onSubmit={save}>
      <Stack gap="sm">
        <TextInput
          label={t('Name')}
          description={t('Other members of your workspaces see it, and applications that you allow to.')}
          autoComplete="name"
          maxLength={200}
          value={name}
          onChange={event => {
            update.reset()
            setName(event.currentTarget.value)
          }}
          error={fieldFault(update.error, 'name')}
        />
        {update.error && <ErrorNote error={update.error} fields={['name']} />}
        <Group>
          <Button type="submit" loading={update.isPending}>
            {t('Save')}
          </Button>
          {update.isSuccess && <Text role="status">{t('Saved.')}</Text>}
        </Group>
      </Stack>
    </form>
  )
}

const Email = ({ me, draft }: { me: Me; draft: AccountDraft | undefined }) => {
  const cancel = useOperation('cancelEmailChange')
  return (
    <Stack gap="sm" mt="sm">
      <Group justify="space-between" align="flex-end">
        <div style={{ minWidth: 0 }}>
          <Text fw={500} size="sm">
            {t('E-mail')}
          </Text>
          <Text style={{ overflowWrap: 'anywhere' }}>{displayEmail(me.email)}</Text>
        </div>
        {me.canMail && (
          <DialogButton label={t('Change address')} variant="default" isOpenAtFirst={draft?.form === 'email'}>
            {dialog => (
              <EmailDialog {...dialog} typedBefore={draft?.form === 'email' ? draft.email : undefined} />
            )}
          </DialogButton>
        )}
      </Group>
      {!me.canMail && (
        <Text size="sm" c="dimmed">
          {t(
            'You cannot change the address: this server sends no mail, and a link to the new address would prove it.',
          )}
        </Text>
      )}
      {me.pendingEmail && (
        <Alert variant="light" role="status" title={t('Open the link in your new mailbox')}>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {t('We sent a link to {email}. Your address changes when you open it, before {time}.', {
              email: me.pendingEmail.email,
              time: formatMoment(me.pendingEmail.expiresAt),
            })}
          </Text>
          <Button
            size="compact-sm"
            variant="default"
            mt="xs"
            loading={cancel.isPending}
            onClick={() => cancel.mutate({})}
          >
            {t('Cancel the change')}
          </Button>
        </Alert>
      )}
      {cancel.error && <ErrorNote error={cancel.error} />}
    </Stack>
  )
}
