/** Mails whose outcome is in a reply. */
import type { NewInvitation } from '@querent/contract/manage'
import type { Mailer } from '#accounts/mail'
import type { MailMessage, MailOutcome } from '#accounts/mail-queue'

/** How long the reply waits for the mail server to accept the mail. */
const awaitedMs = 3000

/** Returns `waiting` if the mail server takes longer than three seconds: a late mail does no harm. */
export const sendForReply = async (
  mail: Pick<Mailer, 'send'>,
  message: MailMessage,
): Promise<NewInvitation['mail']> => {
  const { promise: timeout, resolve } = Promise.withResolvers<MailOutcome>()
  const timer = setTimeout(resolve, awaitedMs, 'waiting')
  const outcome = await Promise.race([mail.send(message), timeout])
  clearTimeout(timer)
  if (outcome === 'dropped') return 'limited'
  return outcome === 'off' ? 'none' : outcome
}
