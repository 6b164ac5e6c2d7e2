/** For tests: the pages on a real server, with an application, a person who has a password, and a mailbox. */
import { Secret, TOTP } from 'otpauth'
import { newSecret } from '#accounts/authenticator-app'
import type { MailedLink } from '#accounts/mail-queue'
import { dummyHash, hashPassword, verifyPassword } from '#accounts/password-hash'
import { createRecoveryCodes } from '#accounts/recovery-codes'
import { openSecurityNotices, type SecurityNotices } from '#accounts/security-notices'
import { makeQuickHashes } from '#accounts/test-password-hash'
import { startTestServer } from '#oauth/test-server'
import { type Landing, newPkce, openBrowser } from '#oauth/test-sign-in'
import { setMember } from '#storage/members'
import { replaceRecoveryCodes, saveAuthenticatorApp } from '#storage/second-factors'
import { createUser } from '#storage/users'
import { openFactorCodes } from './factor-codes.ts'
import { openInteractions } from './interactions.ts'

makeQuickHashes()

export const goodPassword = 'correct horse battery staple'

export interface ShownPage extends Landing {
  url: URL
}

/** The code that an app with this secret shows, now or some time steps later. */
export const makeCode = (secret: string, stepsLater = 0): string =>
  TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: Date.now() + stepsLater * 30_000 })

/** The value of the hidden field against forged requests. */
export const readFormToken = ({ text }: { text: string }): string =>
  /name="form_token" value="([^"]*)"/.exec(text)?.[1] ?? ''

export const startPages = async ({
  signInThrottle = 10,
  passwordLengthMin = 8,
  mailAvailable = true,
  mailHangs = false,
  bodyMsMax,
  hostname,
  connection,
}: {
  /** Connection string of an empty PostgreSQL database. Default: SQLite. */
  connection?: string
  /** Name of this machine in the server's address. */
  hostname?: string
  /** Time for the body of a request; absent: as it runs. */
  bodyMsMax?: number
  signInThrottle?: number | 'off'
  passwordLengthMin?: number
  mailAvailable?: boolean
  /** The mail server never answers. */
  mailHangs?: boolean
} = {}) => {
  const letters: { to: string; subject: string; text: string; link?: MailedLink }[] = []
  const verified: string[] = []
  /** Client address that the server sees in the next requests. */
  const client = { address: '192.0.2.1' }
  const mail = {
    isAvailable: mailAvailable,
    async send(letter: (typeof letters)[number]) {
      if (mailHangs) await new Promise(() => {})
      letters.push(letter)
      return 'accepted' as const
    },
    supports: async (address: string) => !address.startsWith('jörg@'),
  }
  let securityNotices: SecurityNotices | undefined
  const server = await startTestServer({
    clientAddress: () => client.address,
    // Tests set the clock forward.
    staleMs: 60 * 24 * 60 * 60 * 1000,
    ...(bodyMsMax === undefined ? {} : { bodyMsMax }),
    ...(hostname === undefined ? {} : { hostname }),
    ...(connection === undefined ? {} : { connection }),
    interactions: dependencies => {
      securityNotices = openSecurityNotices(dependencies.storage, mail, dependencies.authUrl)
      return openInteractions(dependencies, {
        mail,
        securityNotices,
        signInThrottle,
        passwordLengthMin,
        passwords: {
          dummyHash,
          verify(hash, password) {
            verified.push(password)
            return verifyPassword(hash, password)
          },
        },
      })
    },
  })
  const { storage, workspace, authUrl } = server
  const redirectUri = 'https://app.example/back'
  const application = (title: string, settings = {}) =>
    server.newApplication({
      title,
      redirectUris: [redirectUri],
      origins: ['https://app.example'],
      ...settings,
    })
  const clientId = await application('Reader')

  let people = 0
  const newPerson = async ({ isMember = true, password = goodPassword as string | null } = {}) => {
    const email = `reader${++people}@example.org`
    const passwordHash = password === null ? {} : { passwordHash: await hashPassword(password) }
    return storage.write(async writer => {
      const user = await createUser(writer, { email, name: 'Ada Reader', ...passwordHash })
      if (!user) throw new Error('a name of the test is taken')
      const member = { workspaceId: workspace.id, subject: user.id, kind: 'user', filter: undefined } as const
      if (isMember) await setMember(writer, { ...member, roles: ['api'] })
      return user
    })
  }

  /** A person who may invite people to the workspace. */
  const newInviter = async () => {
    const user = await newPerson({ isMember: false })
    const member = { workspaceId: workspace.id, subject: user.id, kind: 'user', filter: undefined } as const
    await storage.write(writer => setMember(writer, { ...member, roles: ['administrator'] }))
    return user
  }

  const factorCodes = openFactorCodes(storage, server.keyring, 'off')
  /** Gives the person an authenticator app. Returns its codes, of now or some time steps later. */
  const giveApp = async ({ id: userId }: { id: string }) => {
    const secret = newSecret()
    const encryptedSecret = await factorCodes.encryptSecret(userId, secret)
    await storage.write(writer => saveAuthenticatorApp(writer, { userId, encryptedSecret, step: 0 }))
    return (stepsLater = 0) => makeCode(secret, stepsLater)
  }
  /** Gives the person recovery codes. */
  const giveRecoveryCodes = async ({ id }: { id: string }): Promise<string[]> => {
    const { codes, salt, hashes } = await createRecoveryCodes()
    await storage.write(writer => replaceRecoveryCodes(writer, id, { salt, hashes }))
    return codes
  }

  const openReader = (userAgent?: string) => {
    const browser = openBrowser(authUrl, userAgent)
    return {
      ...browser,
      browser,
      /** To the first page of a sign-in. */
      authorize(more: Record<string, string> = {}): Promise<ShownPage> {
        const query = new URLSearchParams({
          client_id: clientId,
          redirect_uri: redirectUri,
          response_type: 'code',
          scope: 'openid email',
          state: 's',
          code_challenge: newPkce().challenge,
          code_challenge_method: 'S256',
          ...more,
        })
        return browser.go(`/authorize?${query}`)
      },
      /** Sends the form of a page, as a browser does. */
      send(
        page: ShownPage,
        fields: Record<string, string>,
        headers: Record<string, string> = {},
      ): Promise<ShownPage> {
        return browser.go(page.url.pathname + page.url.search, {
          method: 'POST',
          headers: { origin: authUrl, 'sec-fetch-site': 'same-origin', ...headers },
          body: new URLSearchParams({ form_token: readFormToken(page), ...fields }),
        })
      },
      async signIn(page: ShownPage, email: string, password: string = goodPassword): Promise<ShownPage> {
        return this.send(page, { action: 'sign-in', email, password })
      },
    }
  }
  return {
    ...server,
    letters,
    /** Resolves when the notices of earlier requests are with the mail server. */
    noticesSettled: async () => securityNotices?.close(),
    verified,
    from: client,
    redirectUri,
    application,
    clientId,
    newPerson,
    newInviter,
    giveApp,
    giveRecoveryCodes,
    openReader,
  }
}
export type Pages = Awaited<ReturnType<typeof startPages>>
