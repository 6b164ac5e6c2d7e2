/** A command-line tool that signs its user in with the browser of the machine (RFC 8252). `CLIENT_ID=… npx node examples/native/sign-in.ts tiger` */
import { once } from 'node:events'
import { createServer } from 'node:http'
import * as oauth from 'openid-client'

const {
  AUTH_URL = 'http://127.0.0.1:4001',
  BASE_URL = 'http://127.0.0.1:4000',
  CLIENT_ID = '',
  WORKSPACE = 'dictionary',
  API = 'dictionary',
} = process.env

const config = await oauth.discovery(new URL(AUTH_URL), CLIENT_ID, undefined, oauth.None(), {
  // Only for a server on this machine. A public server has https.
  execute: AUTH_URL.startsWith('http://127.0.0.1:') ? [oauth.allowInsecureRequests] : [],
})

// Any free port: the server ignores the port of a native application's loopback address.
const listener = createServer()
listener.listen(0, '127.0.0.1')
await once(listener, 'listening')
const address = listener.address()
if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
const redirectUri = `http://127.0.0.1:${address.port}/callback`

const pkceCodeVerifier = oauth.randomPKCECodeVerifier()
const expectedState = oauth.randomState()
const request = oauth.buildAuthorizationUrl(config, {
  redirect_uri: redirectUri,
  scope: 'openid email',
  audience: BASE_URL,
  code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
  code_challenge_method: 'S256',
  state: expectedState,
})
process.stdout.write(`Open this address to sign in: ${request}\n`)

const answer = await new Promise<URL>(resolve => {
  listener.on('request', (incoming, response) => {
    const url = new URL(incoming.url ?? '/', redirectUri)
    response.setHeader('connection', 'close').end('You can close this page and return to the terminal.')
    if (url.pathname === '/callback') resolve(url)
  })
})
listener.close()

const tokens = await oauth.authorizationCodeGrant(config, answer, { pkceCodeVerifier, expectedState })
process.stdout.write(`Signed in as ${tokens.claims()?.email}.\n`)
const words = encodeURIComponent(process.argv.slice(2).join(' '))
const reply = await fetch(`${BASE_URL}/4/${WORKSPACE}/api/${API}/e/search/p/query/${words}/count`, {
  headers: { authorization: `Bearer ${tokens.access_token}` },
})
process.stdout.write(`${await reply.text()}\n`)
