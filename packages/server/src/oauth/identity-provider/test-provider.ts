/** For tests: an OpenID provider that says what the test wants, also what no provider should. Real ones are in tests/sign-in. */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

const algorithm = 'ES256'

const makeStatements = () => ({
  claims: {} as Record<string, unknown>,
  /** Claims of the ID token only, over those that are right. */
  idToken: {} as Record<string, unknown>,
  userInfo: undefined as Record<string, unknown> | undefined,
  /** `iss` of the authorization response; undefined: the right one. */
  iss: undefined as string | undefined,
  error: undefined as string | undefined,
  /** Error of the exchange of a code; undefined: none. */
  exchangeError: undefined as string | undefined,
  tokenPath: '/token',
  /** Members of its metadata, over those that are right; undefined: left out. */
  metadata: {} as Record<string, unknown>,
  isForged: false,
  /** Key that signs, of those made by `rotate`; undefined: the first. */
  keyId: 'k',
  /** Whether its key set fails. */
  hasNoKeys: false,
  isDown: false,
  /** Scopes in its metadata. */
  scopes: ['openid', 'email', 'profile', 'offline_access'],
  /** Whether it gives refresh tokens. */
  isOffline: false,
  /** Error of a refresh; undefined: none. */
  refreshError: undefined as { status: number; error: string } | undefined,
  /** Whether a refresh gives an ID token. */
  refreshesIdToken: true,
  /** Whether the reply to a refresh has to wait. */
  holdsRefresh: undefined as Promise<void> | undefined,
})

export const openTestProvider = async () => {
  const keys = await generateKeyPair(algorithm)
  const keysById = new Map([['k', keys]])
  const foreignKeys = await generateKeyPair(algorithm)
  const describeKey = async (kid: string, { publicKey }: typeof keys) => ({
    ...(await exportJWK(publicKey)),
    kid,
    alg: algorithm,
    use: 'sig',
  })
  const listKeys = () => Promise.all([...keysById].map(([kid, pair]) => describeKey(kid, pair)))
  /** The provider says this from now on. */
  const says = makeStatements()
  /** Each works once; a second use ends the family, as RFC 9700, section 4.14.2, recommends. */
  const refreshTokens = new Map<string, { family: string; clientId: string }>()
  const endedFamilies = new Set<string>()
  const giveRefreshToken = (clientId: string, family: string = randomUUID()) => {
    if (!says.isOffline) return {}
    const token = `refresh-${randomUUID()}`
    refreshTokens.set(token, { family, clientId })
    return { refresh_token: token }
  }
  const usedTokens = new Set<string>()
  const codes = new Map<string, { nonce: string; challenge: string; clientId: string; redirectUri: string }>()
  const requests: { path: string; query: URLSearchParams; body: URLSearchParams; authorization: string }[] =
    []
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', issuer)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = new URLSearchParams(Buffer.concat(chunks).toString())
    const { authorization = '' } = request.headers
    requests.push({ path: url.pathname, query: url.searchParams, body, authorization })
    const json = (status: number, value: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (says.isDown) return json(503, { error: 'temporarily_unavailable' })
    switch (url.pathname === says.tokenPath ? '/token' : url.pathname) {
      case '/.well-known/openid-configuration':
        return json(200, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}${says.tokenPath}`,
          jwks_uri: `${issuer}/jwks`,
          userinfo_endpoint: `${issuer}/userinfo`,
          authorization_response_iss_parameter_supported: true,
          id_token_signing_alg_values_supported: [algorithm],
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          scopes_supported: says.scopes,
          ...says.metadata,
        })
      // Browsers get here; a test without one takes the steps itself.
      case '/authorize':
        return response.writeHead(302, { location: answer(url).href }).end()
      case '/jwks':
        return says.hasNoKeys ? json(503, {}) : json(200, { keys: await listKeys() })
      case '/token': {
        if (body.get('grant_type') === 'refresh_token') return refresh(body.get('refresh_token') ?? '', json)
        const code = codes.get(body.get('code') ?? '')
        if (!code) return json(400, { error: 'invalid_grant' })
        if (says.exchangeError) return json(400, { error: says.exchangeError })
        codes.delete(body.get('code') ?? '')
        const idToken = await sign({ nonce: code.nonce, aud: code.clientId, ...says.claims, ...says.idToken })
        const tokens = giveRefreshToken(code.clientId)
        return json(200, { access_token: randomUUID(), token_type: 'Bearer', id_token: idToken, ...tokens })
      }
      case '/userinfo':
        return json(200, says.userInfo ?? { sub: says.claims.sub })
      default:
        return json(404, {})
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  // A TCP server has an address of this form once it listens.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const refresh = async (token: string, json: (status: number, value: unknown) => void) => {
    const record = refreshTokens.get(token)
    if (record && usedTokens.has(token)) endedFamilies.add(record.family)
    usedTokens.add(token)
    await says.holdsRefresh
    if (!record || endedFamilies.has(record.family)) return json(400, { error: 'invalid_grant' })
    if (says.refreshError) return json(says.refreshError.status, { error: says.refreshError.error })
    const idToken = says.refreshesIdToken
      ? { id_token: await sign({ aud: record.clientId, ...says.claims, ...says.idToken }) }
      : {}
    const tokens = giveRefreshToken(record.clientId, record.family)
    return json(200, { access_token: randomUUID(), token_type: 'Bearer', ...idToken, ...tokens })
  }

  /** Answers an authorization request as the provider does when the person has signed in: where the browser goes next. */
  const answer = (request: URL): URL => {
    const query = request.searchParams
    const redirectUri = query.get('redirect_uri') ?? ''
    const back = new URL(redirectUri)
    back.searchParams.set('state', query.get('state') ?? '')
    back.searchParams.set('iss', says.iss ?? issuer)
    if (says.error !== undefined) {
      back.searchParams.set('error', says.error)
      return back
    }
    const code = randomUUID()
    codes.set(code, {
      nonce: query.get('nonce') ?? '',
      challenge: query.get('code_challenge') ?? '',
      clientId: query.get('client_id') ?? '',
      redirectUri,
    })
    back.searchParams.set('code', code)
    return back
  }

  const sign = (claims: Record<string, unknown>, header: Record<string, unknown> = {}): Promise<string> => {
    const now = Math.floor(Date.now() / 1000)
    return new SignJWT({ iss: issuer, iat: now, exp: now + 300, ...claims })
      .setProtectedHeader({ alg: algorithm, kid: says.keyId, ...header })
      .sign((says.isForged ? foreignKeys : (keysById.get(says.keyId) ?? keys)).privateKey)
  }

  return {
    issuer,
    says,
    requests,
    sign,
    /** Replaces its key, without notice. */
    async rotate() {
      const kid = randomUUID()
      keysById.clear()
      keysById.set(kid, await generateKeyPair(algorithm))
      says.keyId = kid
    },
    /** How often its keys were read. */
    keyReads: () => requests.filter(({ path }) => path === '/jwks').length,
    /** Refresh tokens that it got, in order. */
    refreshes: () => requests.flatMap(({ body }) => body.get('refresh_token') ?? []),
    reset: () => Object.assign(says, makeStatements()),
    answer,
    async close() {
      await new Promise(resolve => {
        server.close(resolve)
        server.closeAllConnections()
      })
    },
  }
}
export type TestProvider = Awaited<ReturnType<typeof openTestProvider>>
