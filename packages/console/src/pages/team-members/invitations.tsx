import { Button, Group, Text, Title } from '@mantine/core'
import { displayEmail } from '@querent/contract/email-address'
import type { Invitation } from '@querent/contract/manage'
import { useSuspenseQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { readOperation, useOperation } from '#api/manage.ts'
import { language, t, tNodes } from '#i18n/translate.ts'
import { ConfirmButton } from '#ui/confirm-button.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { Moment } from '#ui/moment.tsx'
import { Roles } from '#ui/roles.tsx'
import { InvitedDocuments } from '#ui/seen-documents.tsx'

const RenewedInvitation = lazy(async () => ({
  default: (await import('./renewed-invitation.tsx')).RenewedInvitation,
}))

interface RenewButtonProps {
  invitation: Invitation
  label: string
  description: string
  question: string
  isBusy: boolean
  onRenew: () => Promise<void>
}

/** Replaces an invitation. Asks before a link stops working that somebody may be about to open. */
const RenewButton = ({ invitation, label, description, question, isBusy, onRenew }: RenewButtonProps) =>
  invitation.expired ? (
    <Button
      size="compact-sm"
      variant="subtle"
      loading={isBusy}
      aria-label={description}
      // The error is shown from the state of the mutation.
      onClick={() => onRenew().catch(() => {})}
    >
      {label}
    </Button>
  ) : (
    <ConfirmButton
      label={label}
      description={description}
      question={question}
      color="querent"
      onConfirm={onRenew}
    >
      {tNodes('The link created {moment} stops working, also if it is already in their mailbox.', {
        moment: <Moment moment={invitation.createdAt} />,
      })}
    </ConfirmButton>
  )

/** Lists open invitations; renders nothing without any. */
export const Invitations = ({ workspace }: { workspace: string }) => {
  const { data } = useSuspenseQuery(readOperation('listInvitations', { params: { workspace } }))
  const revoke = useOperation('withdrawInvitation')
  const invite = useOperation('inviteMember')
  const [isShown, setShown] = useState(false)
  // A new invitation replaces the earlier one of the same person. The dialog is not in the row, which goes with the earlier one.
  const renew = async (invitation: Invitation, mail: boolean) => {
    const { id: _, invitedBy, createdAt, expiresAt, expired, ...invited } = invitation
    await invite.mutateAsync({
      params: { workspace },
      // With all rights of the earlier one.
      input: { ...invited, mail, language },
    })
    setShown(true)
  }
  const isRenewing = ({ email }: Invitation, mail: boolean) =>
    invite.isPending && invite.variables.input.email === email && invite.variables.input.mail === mail
  if (data.items.length === 0) return null
  const hasExpired = data.items.some(
    ({ email, expired }) => expired && email === invite.variables?.input.email,
  )
  return (
    <>
      <Title order={2} size="h4">
        {t('Invitations')}
      </Title>
      {/* A dialog shows its own error. */}
      {invite.error && hasExpired && <ErrorNote error={invite.error} />}
      <DataTable
        caption={t('Invitations')}
        rows={data.items}
        rowKey={({ email }) => email}
        columns={[
          {
            heading: t('E-mail'),
            cell: ({ email, invitedBy }) => (
              <>
                {displayEmail(email)}
                {/* No column of its own, so that the buttons fit. */}
                <Text size="xs" c="dimmed">
                  {t('invited by {person}', { person: invitedBy ?? t('removed user') })}
                </Text>
              </>
            ),
            isWhole: true,
          },
          { heading: t('Roles'), cell: ({ roles }) => <Roles roles={roles} /> },
          {
            heading: t('Document access'),
            cell: invitation => <InvitedDocuments workspace={workspace} holder={invitation} />,
          },
          {
            heading: t('Expires'),
            cell: ({ expired, expiresAt }) => (expired ? t('expired') : <Moment moment={expiresAt} />),
          },
          {
            heading: '',
            cell: invitation => (
              <Group gap={4} wrap="nowrap" justify="flex-end">
                {data.canMail && (
                  <RenewButton
                    invitation={invitation}
                    label={t('Resend')}
                    description={t('Resend the invitation of {email}', { email: invitation.email })}
                    question={t('Mail {email} a new link?', { email: invitation.email })}
                    isBusy={isRenewing(invitation, true)}
                    onRenew={() => renew(invitation, true)}
                  />
                )}
                <RenewButton
                  invitation={invitation}
                  label={t('New link')}
                  description={t('New link for {email}', { email: invitation.email })}
                  question={t('Create a new link for {email}?', { email: invitation.email })}
                  isBusy={isRenewing(invitation, false)}
                  onRenew={() => renew(invitation, false)}
                />
                <ConfirmButton
                  label={t('Revoke')}
                  description={t('Revoke the invitation of {email}', { email: invitation.email })}
                  question={t('Revoke the invitation of {email}?', { email: invitation.email })}
                  onConfirm={() => revoke.mutateAsync({ params: { workspace, invitationId: invitation.id } })}
                >
                  {t('The link stops working.')}
                </ConfirmButton>
              </Group>
            ),
          },
        ]}
      />
      <Suspense>
        {invite.data && (
          <RenewedInvitation invitation={invite.data} isOpen={isShown} onClose={() => setShown(false)} />
        )}
      </Suspense>
    </>
  )
}
