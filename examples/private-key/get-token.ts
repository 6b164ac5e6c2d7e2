/** Gets an access token by client credentials, with a key instead of a secret. `CLIENT_ID=… npx node examples/private-key/get-token.ts` */
import { readFile } from 'node:fs/promises'
import { importJWK, type JWK } from 'jose'
import * as oauth from 'openid-client'

const {
  AUTH_URL = 'http://127.0.0.1:4001',
  BASE_URL = 'http://127.0.0.1:4000',
  CLIENT_ID = '',
  KEY_FILE = 'key.json',
} = process.env

// make-key.ts has written this file.
const jwk = JSON.parse(await readFile(KEY_FILE, 'utf8')) as JWK & { kid: string }
const key = await importJWK(jwk, 'ES256')
if (key instanceof Uint8Array) throw new Error(`${KEY_FILE} holds a shared secret, not a private key`)

const config = await oauth.discovery(
  new URL(AUTH_URL),
  CLIENT_ID,
  undefined,
  oauth.PrivateKeyJwt({ key, kid: jwk.kid }),
  // Only for a server on this machine. A public server has https.
  { execute: AUTH_URL.startsWith('http://127.0.0.1:') ? [oauth.allowInsecureRequests] : [] },
)
const tokens = await oauth.clientCredentialsGrant(config, { audience: BASE_URL })
process.stdout.write(`${tokens.access_token}\n`)
