/** For tests: a real SMTP server on this machine that keeps what it gets. */
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

export interface Delivered {
  /** The envelope's addresses. */
  to: string[]
  user: string | undefined
  /** Headers and text as they came, with quoted-printable undone. */
  content: string
}

const readable = (content: string): string =>
  content
    .replace(/=\r\n/g, '')
    .replace(/(?:=[0-9A-F]{2})+/g, bytes => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString())

export type TestMailServer = Awaited<ReturnType<typeof openTestMailServer>>

/**
 * `refuse`: addresses that it does not take, for good or with this status. With `account` only who signs in may send. `port`: default any.
 */
export const openTestMailServer = async (
  options: {
    account?: { user: string; password: string }
    refuse?: (address: string) => boolean | number
    smtpUtf8?: boolean
    port?: number
  } = {},
) => {
  const { account, refuse = () => false, smtpUtf8 = true, port = 0 } = options
  const letters: Delivered[] = []
  const waiting: ((letter: Delivered) => void)[] = []
  const server = new SMTPServer({
    hideSTARTTLS: true,
    hideSMTPUTF8: !smtpUtf8,
    allowInsecureAuth: true,
    authOptional: account === undefined,
    onAuth(options, _session, done) {
      const isRight = options.username === account?.user && options.password === account?.password
      if (isRight) done(null, { user: options.username ?? '' })
      else done(new Error('no such account'))
    },
    onRcptTo({ address }, _session, done) {
      const refusal = refuse(address)
      const responseCode = refusal === true ? 550 : refusal
      done(
        responseCode === false ? null : Object.assign(new Error(`no mailbox ${address}`), { responseCode }),
      )
    },
    onData(stream, { envelope, user }, done) {
      text(stream).then(content => {
        const letter = {
          to: envelope.rcptTo.map(({ address }) => address),
          user: typeof user === 'string' ? user : undefined,
          content: readable(content),
        }
        letters.push(letter)
        waiting.shift()?.(letter)
        done()
      }, done)
    },
  })
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', () => resolve()))
  const address = server.server.address()
  if (address === null || typeof address === 'string') throw new Error('the mail server has no port')
  const login = account ? `${encodeURIComponent(account.user)}:${encodeURIComponent(account.password)}@` : ''
  return {
    smtpUrl: `smtp://${login}127.0.0.1:${address.port}`,
    letters,
    /** The next letter to come. */
    next: () => new Promise<Delivered>(resolve => waiting.push(resolve)),
    close: () => new Promise<void>(resolve => server.close(() => resolve())),
  }
}
