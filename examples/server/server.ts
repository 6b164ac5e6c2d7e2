/** Signs people in to a web server that has a Client Secret, and searches for them. `CLIENT_ID=… CLIENT_SECRET=… npx node examples/server/server.ts` */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import * as oauth from 'openid-client'

const {
  PORT = '5174',
  AUTH_URL = 'http://127.0.0.1:4001',
  BASE_URL = 'http://127.0.0.1:4000',
  CLIENT_ID = '',
  CLIENT_SECRET = '',
  WORKSPACE = 'dictionary',
  API = 'dictionary',
} = process.env

const origin = `http://localhost:${PORT}`
const config = await oauth.discovery(new URL(AUTH_URL), CLIENT_ID, CLIENT_SECRET, undefined, {
  // Only for a server on this machine. A public server has https.
  execute: AUTH_URL.startsWith('http://127.0.0.1:') ? [oauth.allowInsecureRequests] : [],
})

interface Session {
  /** Values of the current sign-in, which its response is checked against. */
  checks?: { pkceCodeVerifier: string; expectedState: string; expectedNonce: string }
  tokens?: oauth.TokenEndpointResponse & oauth.TokenEndpointResponseHelpers
  /** Milliseconds since 1970. */
  expiresAt?: number
  email?: string
}
/** In memory, because this is an example. The tokens stay on the server, and the browser only has a random cookie. */
const sessions = new Map<string, Session>()

const cookieName = 'finder'
const readSession = (request: IncomingMessage): Session => {
  const id = new RegExp(`${cookieName}=([\\w-]+)`).exec(request.headers.cookie ?? '')?.[1] ?? ''
  return sessions.get(id) ?? {}
}
/** Each sign-in gets a new session id, so nobody can plant one beforehand. */
const keep = (response: ServerResponse, session: Session): void => {
  const id = randomBytes(32).toString('base64url')
  sessions.set(id, session)
  response.setHeader('set-cookie', `${cookieName}=${id}; Path=/; HttpOnly; SameSite=Lax`)
}

const keepTokens = (session: Session, tokens: NonNullable<Session['tokens']>): void => {
  session.tokens = { ...session.tokens, ...tokens }
  session.expiresAt = Date.now() + (tokens.expires_in ?? 0) * 1000
}

const redirect = (response: ServerResponse, to: string | URL): void => {
  response.writeHead(303, { location: String(to) }).end()
}
const sendText = (response: ServerResponse, text: string, status = 200): void => {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text)
}

const signIn = async (response: ServerResponse): Promise<void> => {
  const checks = {
    pkceCodeVerifier: oauth.randomPKCECodeVerifier(),
    expectedState: oauth.randomState(),
    expectedNonce: oauth.randomNonce(),
  }
  keep(response, { checks })
  const parameters = {
    redirect_uri: `${origin}/callback`,
    scope: 'openid email offline_access',
    // The service that the access token is for. Without it, the query service rejects the token.
    audience: BASE_URL,
    code_challenge: await oauth.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
  }
  redirect(response, oauth.buildAuthorizationUrl(config, parameters))
}

/** The library checks state, nonce, issuer and the ID token, and throws if a check fails. */
const callback = async (session: Session, answer: URL, response: ServerResponse): Promise<void> => {
  const { checks } = session
  if (checks === undefined) return sendText(response, 'This browser began no sign-in here.', 400)
  delete session.checks
  const tokens = await oauth.authorizationCodeGrant(config, answer, checks)
  const signedIn: Session = { email: String(tokens.claims()?.email) }
  keepTokens(signedIn, tokens)
  keep(response, signedIn)
  redirect(response, '/')
}

const secondsBefore = 30

/** Returns an access token that stays valid for a while, refreshed if necessary. */
const accessToken = async (session: Session): Promise<string> => {
  const { tokens, expiresAt = 0 } = session
  if (expiresAt - secondsBefore * 1000 < Date.now() && tokens?.refresh_token)
    keepTokens(session, await oauth.refreshTokenGrant(config, tokens.refresh_token))
  return session.tokens?.access_token ?? ''
}

/** Counts the matching documents, or all without words. */
const count = async (session: Session, words: string, response: ServerResponse): Promise<void> => {
  const path = `/4/${WORKSPACE}/api/${API}/e/search/p/query/${encodeURIComponent(words)}/count`
  const reply = await fetch(BASE_URL + path, {
    headers: { authorization: `Bearer ${await accessToken(session)}` },
  })
  const body: unknown = await reply.json()
  sendText(response, JSON.stringify(body), reply.status)
}

const signOut = (session: Session, response: ServerResponse): void => {
  const address = oauth.buildEndSessionUrl(config, {
    id_token_hint: session.tokens?.id_token ?? '',
    post_logout_redirect_uri: origin,
  })
  delete session.tokens
  delete session.email
  redirect(response, address)
}

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const session = readSession(request)
  const url = new URL(request.url ?? '/', origin)
  switch (url.pathname) {
    case '/':
      return sendText(response, session.email ? `Signed in as ${session.email}.` : 'Not signed in.')
    case '/sign-in':
      return signIn(response)
    case '/callback':
      return callback(session, url, response)
    case '/count':
      return count(session, url.searchParams.get('words') ?? '', response)
    case '/sign-out':
      return signOut(session, response)
    default:
      return sendText(response, 'There is nothing here.', 404)
  }
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    const refusal =
      error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError
    sendText(
      response,
      refusal ? `${error.error}: ${error.error_description}` : 'That failed.',
      refusal ? 403 : 500,
    )
  })
})
server.listen(Number(PORT), 'localhost', () => process.stdout.write(`${origin}\n`))
