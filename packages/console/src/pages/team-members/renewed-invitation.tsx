import type { NewInvitation } from '@querent/contract/manage'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { FormDialog } from '#ui/form-dialog.tsx'
import { savedLabel } from '#ui/new-secret.tsx'
import { InvitationLinks } from './invitation-links.tsx'

/** Shows the link of an invitation that replaces an earlier one. */
export const RenewedInvitation = ({
  invitation,
  isOpen,
  onClose,
}: DialogState & { invitation: NewInvitation }) => (
  <FormDialog
    title={t('Invitation of {email}', { email: invitation.email })}
    isOpen={isOpen}
    onClose={onClose}
    submit={savedLabel}
    onSubmit={async () => onClose()}
    isDone
  >
    {t('The earlier link no longer works.')}
    <InvitationLinks invitations={[invitation]} />
  </FormDialog>
)
