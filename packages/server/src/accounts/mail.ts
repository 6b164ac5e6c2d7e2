/** Sends mails through the configured SMTP server. Mails that it does not take wait in the queue (mail-queue.ts). */
import { type MailBacklog, noBacklog } from '#storage/mails'
import {
  describeMail,
  type MailMessage,
  type MailOutcome,
  type MailQueueDependencies,
  openMailQueue,
} from './mail-queue.ts'
import { openSmtp } from './smtp.ts'

export interface Mailer {
  /** Whether a mail server is configured. */
  isAvailable: boolean
  /**
   * Resolves after the first attempt. Logs failures with the domain of the address only. Never rejects. Don't await it if the time would reveal
   * whether a mail was sent.
   */
  send(message: MailMessage): Promise<MailOutcome>
  /**
   * Sends once and returns what the mail server answered, for operators. The answer never contains the password of `smtpUrl`. Undefined
   * if there is no mail server.
   */
  test(message: MailMessage): Promise<MailTest | undefined>
  /** Whether mails can reach the address: false if the mail server lacks SMTPUTF8 and the address needs it. Waits at most two seconds. */
  supports(address: string): Promise<boolean>
  /** Mails of all nodes that wait after a failure, as this node last saw them. */
  backlog(): MailBacklog
  /** Address of the mail server and sender, for operators; undefined if no mail server is configured. */
  description: { server: string; from: string } | undefined
  /** Waits for mails being sent. */
  close(): Promise<void>
}

export interface MailTest {
  accepted: boolean
  /** One or more lines of SMTP, or the reason why there are none. */
  answer: string
}

export interface MailSettings {
  /** `smtp://user:password@host:port` or `smtps://…`. Undefined: no mails. */
  smtpUrl: string | undefined
  mailFrom: string | undefined
}

/** Longest answer that is shown. */
const answerCharsMax = 1000

const withoutMail: Mailer = {
  isAvailable: false,
  description: undefined,
  send: async () => 'off',
  test: async () => undefined,
  supports: async () => true,
  backlog: () => noBacklog,
  close: async () => {},
}

export const openMailer = ({ smtpUrl, mailFrom }: MailSettings, deps: MailQueueDependencies): Mailer => {
  if (smtpUrl === undefined || mailFrom === undefined) return withoutMail
  const smtp = openSmtp(smtpUrl, mailFrom)
  const queue = openMailQueue(smtp, deps)
  return {
    isAvailable: true,
    description: { server: smtp.server, from: mailFrom },
    send: queue.send,
    supports: smtp.supports,
    backlog: queue.backlog,
    async test(message) {
      const { state, answer, failure } = await smtp.send(message)
      if (failure) deps.log.warn({ ...describeMail(message), ...failure }, 'a test mail was not accepted')
      return { accepted: state === 'accepted', answer: smtp.removeSecret(answer).slice(0, answerCharsMax) }
    },
    async close() {
      try {
        await queue.close()
      } finally {
        await smtp.close()
      }
    },
  }
}
