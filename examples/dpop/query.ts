/** Sends a query with an access token that is bound to a key (DPoP). `CLIENT_ID=… CLIENT_SECRET=… npx node examples/dpop/query.ts` */
import * as oauth from 'openid-client'

const {
  AUTH_URL = 'http://127.0.0.1:4001',
  BASE_URL = 'http://127.0.0.1:4000',
  CLIENT_ID = '',
  CLIENT_SECRET = '',
  API = '/4/dictionary/api/dictionary',
} = process.env

const config = await oauth.discovery(
  new URL(AUTH_URL),
  CLIENT_ID,
  CLIENT_SECRET,
  undefined,
  // Only for a server on this machine. A public server has https.
  { execute: AUTH_URL.startsWith('http://127.0.0.1:') ? [oauth.allowInsecureRequests] : [] },
)
// The private key never leaves this process. Keep it for as long as its tokens.
const DPoP = oauth.getDPoPHandle(config, await oauth.randomDPoPKeyPair('ES256'))
const { access_token } = await oauth.clientCredentialsGrant(config, { audience: BASE_URL }, { DPoP })
const url = new URL(`${BASE_URL}${API}/e/search/p/query/striped%20cat/count`)
const reply = await oauth.fetchProtectedResource(config, access_token, url, 'GET', undefined, undefined, {
  DPoP,
})
process.stdout.write(`${await reply.text()}\n`)
