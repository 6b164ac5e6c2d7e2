/** For tests: the pages on a real server, with an application, a person who has a password, and a mailbox. */
import { dummyHash, hashPassword, verifyPassword } from '#accounts/password-hash'
import { startTestServer } from '#oauth/test-server'
import { type Landing, newPkce, openBrowser } from '#oauth/test-sign-in'
import { setMember } from '#storage/members'
import { createUser } from '#storage/users'
import { openInteractions } from './interactions.ts'

export const goodPassword = 'correct horse battery staple'

export interface ShownPage extends Landing {
  url: URL
}

/** The value of the hidden field against forged requests. */
export const readFormToken = ({ text }: { text: string }): string =>
  /name="form_token" value="([^"]*)"/.exec(text)?.[1] ?? ''

export const startPages = async ({
  signInThrottle = 10,
  mailAvailable = true,
  bodyMsMax,
}: {
  /** Time for the body of a request; absent: as it runs. */
  bodyMsMax?: number
  signInThrottle?: number | 'off'
  mailAvailable?: boolean
} = {}) => {
  const letters: { to: string; subject: string; text: string }[] = []
  const verified: string[] = []
  /** Client address that the server sees in the next requests. */
  const client = { address: '192.0.2.1' }
  const server = await startTestServer({
    clientAddress: () => client.address,
    ...(bodyMsMax === undefined ? {} : { bodyMsMax }),
    interactions: dependencies =>
      openInteractions(dependencies, {
        mail: {
          isAvailable: mailAvailable,
          async send(letter) {
            letters.push(letter)
            return true
          },
        },
        signInThrottle,
        passwords: {
          dummyHash,
          verify(hash, password) {
            verified.push(password)
            return verifyPassword(hash, password)
          },
        },
      }),
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
    verified,
    from: client,
    redirectUri,
    application,
    clientId,
    newPerson,
    openReader,
  }
}
export type Pages = Awaited<ReturnType<typeof startPages>>
