/** Mails to people, by the SMTP server of the settings. */

export interface Letter {
  /** One e-mail address. */
  to: string
  subject: string
  /** Plain text. */
  text: string
}

export interface Mail {
  /** Whether there is a mail server to send by. */
  available: boolean
  /**
   * True when the mail server took the letter; false when it did not, when there is none, or when too many letters wait: that is
   * logged, without what the letter said. Never rejects. Who must not reveal by time whether a letter went out does not wait for it.
   */
  send(letter: Letter): Promise<boolean>
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
const reasonOf = (error: unknown): { code: string; responseCode?: number } => {
  const { code, responseCode } = Object(error)
  return {
    code: typeof code === 'string' ? code : 'unknown',
    ...(typeof responseCode === 'number' ? { responseCode } : {}),
  }
}

export const openMail = ({ smtpUrl, mailFrom }: MailSettings, log: Log): Mail => {
  if (smtpUrl === undefined || mailFrom === undefined)
    return { available: false, send: async () => false, close: async () => {} }
  const options = transportOptions(smtpUrl)
  // Loaded for the first letter: it takes as long as all of Fastify, and the start need not wait for it.
  const openTransport = async () => (await import('nodemailer')).createTransport(options)
  let opened: ReturnType<typeof openTransport> | undefined
  const waiting = new Set<Promise<boolean>>()

  const handOver = async ({ to, subject, text }: Letter): Promise<boolean> => {
    try {
      opened ??= openTransport()
      const transport = await opened
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
      log.warn(reasonOf(error), 'a mail could not be sent')
      return false
    }
  }
  return {
    available: true,
    async send(letter) {
      if (waiting.size >= waitingMax) {
        log.warn({ waiting: waiting.size }, 'a mail was not sent: too many wait for the mail server')
        return false
      }
      const handing = handOver(letter)
      waiting.add(handing)
      const sent = await handing
      waiting.delete(handing)
      return sent
    },
    async close() {
      await Promise.all(waiting)
      const transport = await opened
      transport?.close()
    },
  }
}
