/** Parts for tests: storage, directory, bearer and keys in a temporary folder, and tokens like those of the authorization server. */
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importJWK, SignJWT } from 'jose'
import { openAccessParts } from '#parts'
import type { StorageLocation } from '#storage/connection'
import { openStorage } from '#storage/db'

export const baseUrl = 'http://127.0.0.1:4000'
export const authUrl = 'http://127.0.0.1:4001'

/** Settings of {@link openAccessParts} without the secret key. Keys are not rotated. */
export const testSettings = {
  baseUrl,
  authUrl,
  accessTokenAlgorithm: 'ES256',
  keyRotationDays: 'off',
  staleSeconds: 30,
  signInLogDays: 90,
  workers: 1,
  pathVersions: [],
} as const

export interface TokenClaims {
  subject: string
  clientId: string
  audience: string
  /** Default: 900. */
  expiresInSeconds?: number
  issuer?: string
  grantId?: string
  /** Authentication level. */
  acr?: string
  /** The workspace whose own OpenID provider signed the person in. */
  workspaceId?: string
}

/** `location` defaults to SQLite in the folder. `onStatement` is called for each statement that the storage runs. */
export const openTestParts = async ({
  location,
  onStatement,
}: {
  location?: StorageLocation
  onStatement?: () => void
} = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'querent-test-'))
  const storage = await openStorage(location ?? { file: join(folder, 'querent.db') }, { onStatement })
  const secretKey = randomBytes(32)
  const parts = await openAccessParts(storage, { ...testSettings, secretKey })
  const { keyring } = parts

  const token = async (claims: TokenClaims): Promise<string> => {
    const jwk = keyring.privateJwks().find(({ alg }) => alg === 'ES256')
    if (!jwk?.kid) throw new Error('there is no key for access tokens')
    const now = Math.floor(Date.now() / 1000)
    return new SignJWT({
      client_id: claims.clientId,
      scope: '',
      ...(claims.acr === undefined ? {} : { acr: claims.acr }),
      ...(claims.workspaceId === undefined ? {} : { workspace_id: claims.workspaceId }),
      ...(claims.grantId === undefined ? {} : { grant_id: claims.grantId }),
    })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: jwk.kid })
      .setIssuer(claims.issuer ?? `${authUrl}/`)
      .setSubject(claims.subject)
      .setAudience(claims.audience)
      .setJti(randomUUID())
      .setIssuedAt(now)
      .setExpirationTime(now + (claims.expiresInSeconds ?? 900))
      .sign(await importJWK(jwk, 'ES256'))
  }
  const close = async () => {
    await parts.close()
    await storage.close()
    await rm(folder, { recursive: true })
  }
  return { ...parts, folder, secretKey, token, close }
}
