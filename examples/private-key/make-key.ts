/** Creates a key for `private_key_jwt`. Writes the private key to the file in KEY_FILE, and prints the public one as a key set. */
import { writeFile } from 'node:fs/promises'
import { exportJWK, generateKeyPair } from 'jose'

const { KEY_FILE = 'key.json' } = process.env

const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
const keyMembers = { kid: 'key-1', alg: 'ES256' }
// Never overwrites an existing file, and only the owner can read it.
await writeFile(KEY_FILE, JSON.stringify({ ...(await exportJWK(privateKey)), ...keyMembers }), {
  flag: 'wx',
  mode: 0o600,
})
process.stdout.write(`${JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), ...keyMembers }] })}\n`)
