/** Sends mails through the configured SMTP server, as text and HTML with the same content (RFC 2046, section 5.1.4). */

import type { Language } from '#languages/languages'
import { renderMailHtml } from './mail-html.ts'

export interface MailMessage {
  /** One e-mail address. */
  to: string
  subject: string
  /** Plain text, with paragraphs separated by an empty line. */
  text: string
  /** Language of subject and text; default English. */
  language?: Language
  /** Name above the HTML part: that of a workspace. Default Querent. */
  sender?: string
}

export interface Mailer {
  /** Whether a mail server is configured. */
  isAvailable: boolean
  /**
   * Resolves to true if the mail server accepted the mail. Resolves to false if it did not, if there is none,
   * or if too many mails wait; logs that without the content. Never rejects. Don't await it if the time would
   * reveal whether a mail was sent.
   */
  send(message: MailMessage): Promise<boolean>
  /**
   * Like `send`, and returns what the mail server answered, for operators. The answer never contains the password of `smtpUrl`. Undefined
   * if there is no mail server.
   */
  test(message: MailMessage): Promise<MailTest | undefined>
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

interface Log {
  warn(facts: object, message: string): void
}

/** Mails waiting for the mail server. */
const waitingMax = 1000
const connectionsMax = 2
const connectTimeoutMs = 5000
const idleTimeoutMs = 20_000

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host)

/**
 * Mails contain links that open accounts, so they are encrypted, except to this machine or with
 * `?requireTLS=false`.
 */
const transportOptions = (smtpUrl: string) => {
  const url = new URL(smtpUrl)
  const secure = url.protocol === 'smtps:'
  const isLocal = isLoopback(url.hostname)
  const user = decodeURIComponent(url.username)
  return {
    pool: true as const,
    maxConnections: connectionsMax,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    requireTLS: !secure && !isLocal && url.searchParams.get('requireTLS') !== 'false',
    // A mail server on this machine rarely has a certificate for its name.
    ignoreTLS: !secure && isLocal,
    ...(user === '' ? {} : { auth: { user, pass: decodeURIComponent(url.password) } }),
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    socketTimeout: idleTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** Omits the server's message, which may repeat address and content. */
const describeFailure = (error: unknown): { code: string; responseCode?: number } => {
  const { code, responseCode } = Object(error)
  return {
    code: typeof code === 'string' ? code : 'unknown',
    ...(typeof responseCode === 'number' ? { responseCode } : {}),
  }
}

/** Longest answer that is shown. */
const answerCharsMax = 1000

/** Returns what the mail server said, or else why it could not be asked. */
const readAnswer = (error: unknown): string => {
  const { response, message } = Object(error)
  return typeof response === 'string' ? response : String(message ?? error)
}

/** Removes a password, as it is and as SMTP sends it (RFC 4616, RFC 4954). */
const removeSecret = (text: string, secret: string | undefined): string => {
  if (!secret) return text
  const spellings = [secret, Buffer.from(secret).toString('base64')]
  return spellings.reduce((rest, spelling) => rest.replaceAll(spelling, '…'), text)
}

export const openMailer = ({ smtpUrl, mailFrom }: MailSettings, log: Log): Mailer => {
  if (smtpUrl === undefined || mailFrom === undefined)
    return {
      isAvailable: false,
      description: undefined,
      send: async () => false,
      test: async () => undefined,
      close: async () => {},
    }
  const options = transportOptions(smtpUrl)
  // Loaded with the first mail: nodemailer takes as long to load as all of Fastify.
  const openTransport = async () => (await import('nodemailer')).createTransport(options)
  let transportPromise: ReturnType<typeof openTransport> | undefined
  const deliveries = new Set<Promise<MailTest>>()

  const deliver = async ({ to, subject, text, language = 'en', sender }: MailMessage): Promise<MailTest> => {
    try {
      transportPromise ??= openTransport()
      const transport = await transportPromise
      const { response } = await transport.sendMail({
        from: mailFrom,
        // An object is always a single address, whatever it contains.
        to: { name: '', address: to },
        subject,
        text,
        html: renderMailHtml({ subject, text, language, ...(sender === undefined ? {} : { sender }) }),
        // RFC 3834, section 5: prevents out-of-office replies.
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
      return { accepted: true, answer: response }
    } catch (error) {
      log.warn(describeFailure(error), 'a mail could not be sent')
      return { accepted: false, answer: readAnswer(error) }
    }
  }
  const deliverInTurn = async (message: MailMessage): Promise<MailTest> => {
    if (deliveries.size >= waitingMax) {
      log.warn({ waiting: deliveries.size }, 'a mail was not sent: too many wait for the mail server')
      return { accepted: false, answer: `${deliveries.size} mails wait for the mail server` }
    }
    const delivery = deliver(message)
    deliveries.add(delivery)
    const outcome = await delivery
    deliveries.delete(delivery)
    return outcome
  }
  const { host, port, auth } = options
  return {
    isAvailable: true,
    description: { server: `${host}:${port}`, from: mailFrom },
    send: async message => (await deliverInTurn(message)).accepted,
    async test(message) {
      const { accepted, answer } = await deliverInTurn(message)
      return { accepted, answer: removeSecret(answer, auth?.pass).slice(0, answerCharsMax) }
    },
    async close() {
      await Promise.all(deliveries)
      const transport = await transportPromise
      transport?.close()
    },
  }
}
