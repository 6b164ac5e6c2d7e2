/** Mails to people, by the SMTP server of the settings. */

export interface MailMessage {
  /** One e-mail address. */
  to: string
  subject: string
  /** Plain text. */
  text: string
}

export interface Mailer {
  /** Whether there is a mail server to send by. */
  isAvailable: boolean
  /**
   * True when the mail server took the letter; false when it did not, when there is none, or when too many letters wait: that is
   * logged, without what the letter said. Never rejects. Who must not reveal by time whether a letter went out does not wait for it.
   */
  send(message: MailMessage): Promise<boolean>
  /** Lets letters under way go out. */
  close(): Promise<void>
}

export interface MailSettings {
  /** `smtp://user:password@host:port` or `smtps://…`. Undefined: no mails. */
  smtpUrl: string | undefined
  mailFrom: string | undefined
}

interface Log {
  warn(facts: object, message: string): void
}

/** Letters that wait for the mail server. */
const waitingMax = 1000
const connectionsMax = 2
const connectTimeoutMs = 5000
const idleTimeoutMs = 20_000

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host)

/** Letters hold links that open accounts: they go unencrypted to this machine only, or where the address ends in `?requireTLS=false`. */
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
    // A mail server on this machine rarely has a certificate that names it.
    ignoreTLS: !secure && isLocal,
    ...(user === '' ? {} : { auth: { user, pass: decodeURIComponent(url.password) } }),
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    socketTimeout: idleTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** Neither address nor words: what the server said may repeat both. */
const describeFailure = (error: unknown): { code: string; responseCode?: number } => {
  const { code, responseCode } = Object(error)
  return {
    code: typeof code === 'string' ? code : 'unknown',
    ...(typeof responseCode === 'number' ? { responseCode } : {}),
  }
}

export const openMailer = ({ smtpUrl, mailFrom }: MailSettings, log: Log): Mailer => {
  if (smtpUrl === undefined || mailFrom === undefined)
    return { isAvailable: false, send: async () => false, close: async () => {} }
  const options = transportOptions(smtpUrl)
  // Loaded for the first letter: it takes as long as all of Fastify, and the start need not wait for it.
  const openTransport = async () => (await import('nodemailer')).createTransport(options)
  let transportPromise: ReturnType<typeof openTransport> | undefined
  const deliveries = new Set<Promise<boolean>>()

  const deliver = async ({ to, subject, text }: MailMessage): Promise<boolean> => {
    try {
      transportPromise ??= openTransport()
      const transport = await transportPromise
      await transport.sendMail({
        from: mailFrom,
        // As an object it is one address, whatever stands in it.
        to: { name: '', address: to },
        subject,
        text,
        // RFC 3834, section 5: no out-of-office replies.
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
      return true
    } catch (error) {
      log.warn(describeFailure(error), 'a mail could not be sent')
      return false
    }
  }
  return {
    isAvailable: true,
    async send(message) {
      if (deliveries.size >= waitingMax) {
        log.warn({ waiting: deliveries.size }, 'a mail was not sent: too many wait for the mail server')
        return false
      }
      const delivery = deliver(message)
      deliveries.add(delivery)
      const isSent = await delivery
      deliveries.delete(delivery)
      return isSent
    },
    async close() {
      await Promise.all(deliveries)
      const transport = await transportPromise
      transport?.close()
    },
  }
}
