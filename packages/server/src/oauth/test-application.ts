/** For tests: an application that sends people to `/authorize` and exchanges what comes back. */
import { type ApplicationSettings, addSecret } from '#storage/clients'
import type { Reply, TestServer } from './test-server.ts'
import { type Browser, type InteractionPage, type Landing, newPkce, openBrowser } from './test-sign-in.ts'

export const openTestApplication = async (
  server: TestServer,
  settings: Partial<ApplicationSettings> = {},
  workspaceId = server.workspace.id,
) => {
  const redirectUris = settings.redirectUris ?? ['https://app.example/callback']
  const redirectUri = redirectUris[0] ?? ''
  const id = await server.newApplication({ ...settings, redirectUris }, workspaceId)
  const secret =
    settings.type === 'server' && !settings.publicKeys
      ? (await server.storage.write(writer => addSecret(writer, id, null))).secret
      : undefined
  return openTestClient(server, { id, secret, redirectUri })
}
export type TestApplication = Awaited<ReturnType<typeof openTestApplication>>

/** One that is registered already. */
export const openTestClient = (
  server: Pick<TestServer, 'authUrl' | 'form'>,
  { id, secret, redirectUri }: { id: string; secret?: string | undefined; redirectUri: string },
) => {
  const credentials: Record<string, string> = { client_id: id, ...(secret ? { client_secret: secret } : {}) }

  return {
    id,
    secret,
    redirectUri,
    /** The query of an authorization request; a parameter of `undefined` is left out. */
    query(parameters: Record<string, string | undefined> = {}): string {
      const allParameters = {
        client_id: id,
        response_type: 'code',
        redirect_uri: redirectUri,
        state: 's',
        ...parameters,
      }
      const query = new URLSearchParams()
      for (const [name, value] of Object.entries(allParameters))
        if (value !== undefined) query.append(name, value)
      return query.toString()
    },
    /** Sends the person there; where the browser lands, with the code verifier. */
    async authorize(
      personId: string,
      parameters: Record<string, string | undefined> = {},
      {
        browser = openBrowser(server.authUrl),
        seenPages: asked = [],
        level,
      }: { browser?: Browser; seenPages?: InteractionPage[]; level?: string } = {},
    ): Promise<Landing & { verifier: string }> {
      const { verifier, challenge } = newPkce()
      const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
      const landed = await browser.authorize(this.query({ ...pkce, ...parameters }), personId, asked, level)
      return { ...landed, verifier }
    },
    token(parameters: Record<string, string>): Promise<Reply> {
      return server.form('/oauth/token', new URLSearchParams({ ...credentials, ...parameters }).toString())
    },
    exchange(
      code: string | undefined,
      verifier: string,
      change: Record<string, string> = {},
    ): Promise<Reply> {
      return this.token({
        grant_type: 'authorization_code',
        code: code ?? '',
        code_verifier: verifier,
        redirect_uri: redirectUri,
        ...change,
      })
    },
    refresh(token: unknown, change: Record<string, string> = {}): Promise<Reply> {
      return this.token({ grant_type: 'refresh_token', refresh_token: String(token), ...change })
    },
    /** The tokens of a whole sign-in. */
    async signIn(
      personId: string,
      parameters: Record<string, string | undefined> = {},
      options: { browser?: Browser; seenPages?: InteractionPage[]; level?: string } = {},
    ): Promise<Record<string, unknown>> {
      const { parameters: answer, verifier, text } = await this.authorize(personId, parameters, options)
      const reply = await this.exchange(answer.code, verifier)
      if (reply.status !== 200) throw new Error(`no tokens: ${JSON.stringify(answer)} ${text} ${reply.text}`)
      return reply.json
    },
  }
}
