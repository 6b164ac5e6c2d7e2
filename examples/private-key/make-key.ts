/** Makes a key for `private_key_jwt`: the private one into the file named by KEY_FILE, the public one, as a key set, on standard output. */
import { writeFile } from 'node:fs/promises'
import { exportJWK, generateKeyPair } from 'jose'

const { KEY_FILE = 'key.json' } = process.env

const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
const named = { kid: 'key-1', alg: 'ES256' }
// Not over one that is there already, and for nobody else to read.
await writeFile(KEY_FILE, JSON.stringify({ ...(await exportJWK(privateKey)), ...named }), {
  flag: 'wx',
  mode: 0o600,
})
process.stdout.write(`${JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), ...named }] })}\n`)
