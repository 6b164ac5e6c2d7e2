/** Checks the mail server by the mails that wait for it. */
import type { HealthCheck } from '@querent/contract/manage'
import type { MailBacklog } from '#storage/mails'

/** Greylisting delays a mail for some minutes. */
const lateMs = 10 * 60 * 1000

/** `backlog`: undefined if the storage does not answer. */
export const mailCheck = (canMail: boolean, backlog: MailBacklog | undefined, now: number): HealthCheck => {
  const name = 'mail'
  const { waiting, oldestAt = now, lastFailure } = backlog ?? { waiting: 0, lastFailure: undefined }
  const minutes = Math.floor((now - oldestAt) / 60_000)
  const waitingText = `${waiting} ${waiting === 1 ? 'mail waits' : 'mails wait'} for the mail server, the oldest for ${minutes} minutes`
  if (!canMail)
    return {
      name,
      state: 'warn',
      message: 'no mail server is configured: invitations and password links must be copied by hand',
      advice: 'set QUERENT_SMTP_URL and mailFrom; you can do without if few people sign in',
    }
  if (waiting > 0 && now - oldestAt >= lateMs)
    return {
      name,
      state: 'warn',
      message: `${waitingText} (${lastFailure ?? 'no answer yet'})`,
      advice:
        'send a test mail in the console, under Server, to see the answer of the mail server; the log has the purpose and the domain of each failure',
    }
  return {
    name,
    state: 'ok',
    message: waiting > 0 ? `a mail server is configured; ${waitingText}` : 'a mail server is configured',
  }
}
