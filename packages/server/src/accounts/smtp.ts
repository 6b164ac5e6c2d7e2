/** Hands mails to the mail server, once each. Retries are the queue's (mail-queue.ts). */
import type { Language } from '#languages/languages'
import { renderMailHtml } from './mail-html.ts'

/** Recipient and content of a mail. */
export interface MailLetter {
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

/**
 * - `accepted`: by the mail server.
 * - `delayed`: the mail server did not take it now (4xx), or cannot be used at the moment (RFC 5321, section 4.5.4.1).
 * - `rejected`: the mail server refused recipient, sender or content for good (5xx).
 * - `unsupported`: an address has letters beyond ASCII before the `@`, and the mail server lacks SMTPUTF8 (RFC 6531, section 3.2).
 */
export interface SmtpOutcome {
  state: 'accepted' | 'delayed' | 'rejected' | 'unsupported'
  /** The mail server's answer, or why there is none. It may repeat addresses and secrets. */
  answer: string
  /** Code of the library and status of the mail server. Without addresses. */
  failure: { code: string; responseCode?: number } | undefined
}

export interface Smtp {
  /** Never rejects. */
  send(letter: MailLetter): Promise<SmtpOutcome>
  /**
   * Whether the mail server takes mails to the address: false if it lacks SMTPUTF8 and the address needs it. True if the mail server does not
   * answer within two seconds: pages wait for this.
   */
  supports(address: string): Promise<boolean>
  /** Host and port. */
  server: string
  /** Removes the password of `smtpUrl`, as it is and as SMTP sends it (RFC 4616, RFC 4954). */
  removeSecret(text: string): string
  close(): Promise<void>
}

export const smtpConnectionsMax = 2
const connectTimeoutMs = 5000
const idleTimeoutMs = 20_000
/** How long a page waits for the mail server's list of extensions. */
const extensionsAwaitedMs = 2000
/** How long the list is remembered, the same for all addresses. */
const extensionsTtlMs = 60_000

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
  }
}

/** Returns what the mail server said, or else why it could not be asked. */
const readAnswer = (error: unknown): string => {
  const { response, message } = Object(error)
  return typeof response === 'string' ? response : String(message ?? error)
}

/** Codes of nodemailer for a refusal of this mail. Others, such as `EAUTH`, concern the connection or the settings. */
const refusalCodes: ReadonlySet<string> = new Set(['EENVELOPE', 'EMESSAGE'])

/** The mail server wants a user and password (RFC 4954, section 6): the operator adds them. */
const signInMissing = 530

const describeFailure = (error: unknown): SmtpOutcome => {
  const { code: rawCode, responseCode } = Object(error)
  const code = typeof rawCode === 'string' ? rawCode : 'unknown'
  const isTemporary =
    typeof responseCode === 'number' && (responseCode < 500 || responseCode === signInMissing)
  return {
    state: refusalCodes.has(code) && !isTemporary ? 'rejected' : 'delayed',
    answer: readAnswer(error),
    failure: { code, ...(typeof responseCode === 'number' ? { responseCode } : {}) },
  }
}

const unsupported: SmtpOutcome = {
  state: 'unsupported',
  answer: 'the address has letters beyond ASCII before the @, and the mail server does not offer SMTPUTF8',
  failure: { code: 'no-smtputf8' },
}

/** A domain needs none: that of a recipient is in ASCII already, and nodemailer encodes that of the sender. */
const needsSmtpUtf8 = (address: string): boolean => /[^\p{ASCII}].*@/u.test(address)

/** `Search <search@example.org>` or the address alone (config/readers.ts). */
const readSenderAddress = (mailFrom: string): string => /<(.*)>$/.exec(mailFrom)?.[1] ?? mailFrom

export const openSmtp = (smtpUrl: string, mailFrom: string): Smtp => {
  const options = transportOptions(smtpUrl)
  const pool = {
    pool: true as const,
    maxConnections: smtpConnectionsMax,
    // The queue tries again later. This is for an idle connection that the mail server closed.
    maxRequeues: 1,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
  // Loaded with the first mail: nodemailer takes as long to load as all of Fastify.
  const openTransport = async () => (await import('nodemailer')).createTransport({ ...options, ...pool })
  let transportPromise: ReturnType<typeof openTransport> | undefined
  const readExtensions = rememberFor(extensionsTtlMs, () => askExtensions(options))
  const isSenderAscii = !needsSmtpUtf8(readSenderAddress(mailFrom))
  const hasExtension = async (): Promise<boolean> =>
    (await readExtensions().catch(() => ['SMTPUTF8'])).includes('SMTPUTF8')
  const isAscii = (address: string): boolean => isSenderAscii && !needsSmtpUtf8(address)
  const { host, port, auth } = options
  return {
    async send({ to, subject, text, language = 'en', sender }) {
      try {
        if (!isAscii(to) && !(await hasExtension())) return unsupported
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
        return { state: 'accepted', answer: response, failure: undefined }
      } catch (error) {
        return describeFailure(error)
      }
    },
    supports: async address => isAscii(address) || withinTime(hasExtension(), extensionsAwaitedMs),
    server: `${host}:${port}`,
    removeSecret(text) {
      if (!auth?.pass) return text
      const spellings = [auth.pass, Buffer.from(auth.pass).toString('base64')]
      return spellings.reduce((rest, spelling) => rest.replaceAll(spelling, '…'), text)
    },
    async close() {
      const transport = await transportPromise
      transport?.close()
    },
  }
}

/** Returns true on a timeout. */
const withinTime = async (answer: Promise<boolean>, ms: number): Promise<boolean> => {
  const { promise: timeout, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, ms, true)
  return Promise.race([answer, timeout]).finally(() => clearTimeout(timer))
}

/** Remembers a result, but no failure. Concurrent calls share one. */
const rememberFor = <T>(ttlMs: number, read: () => Promise<T>): (() => Promise<T>) => {
  let last: { value: Promise<T>; until: number } | undefined
  return () => {
    if (last && last.until > Date.now()) return last.value
    const value = read()
    const entry = { value, until: Date.now() + ttlMs }
    last = entry
    value.catch(() => {
      if (last === entry) last = undefined
    })
    return value
  }
}

/** Asks the mail server for its extensions (EHLO), encrypted if mails are. */
const askExtensions = async (options: ReturnType<typeof transportOptions>): Promise<readonly string[]> => {
  const { default: SmtpConnection } = await import('nodemailer/lib/smtp-connection')
  const connection = new SmtpConnection(options)
  try {
    await new Promise<void>((resolve, reject) => {
      connection.on('error', reject)
      connection.connect(error => (error ? reject(error) : resolve()))
    })
    // The library has no public way to read them. A test with a mail server that lacks SMTPUTF8 guards this name.
    const { _supportedExtensions: extensions } = connection as unknown as { _supportedExtensions: string[] }
    return [...extensions]
  } finally {
    connection.quit()
  }
}
