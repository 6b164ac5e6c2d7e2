/**
 * Client secrets for workspaces' own OpenID providers, and refresh tokens of them, encrypted with the server's key. Each is for one issuer and
 * Client ID: after an administrator names another issuer, the secret does not go there.
 */
import type { IdentityProvider } from '@querent/contract/workspace-file'
import type { Keyring } from './keyring.ts'
import { createRecordEncryption } from './record-encryption.ts'

type Receiver = Pick<IdentityProvider, 'issuer' | 'clientId'>

export interface ProviderSecrets {
  /** `ownerId`: id of the workspace, or of the sign-in that a refresh token belongs to. */
  encrypt(ownerId: string, receiver: Receiver, secret: string): Promise<string>
  /** Undefined: it was encrypted for another owner, issuer or Client ID. */
  decrypt(ownerId: string, receiver: Receiver, encryptedSecret: string): Promise<string | undefined>
  /** Whether it was encrypted with the current `QUERENT_KEY`, for any owner, issuer and Client ID. */
  isOfThisKey(encryptedSecret: string): Promise<boolean>
}

export const createProviderSecrets = (
  keyring: Pick<Keyring, 'derive'>,
  purpose: 'provider secrets' | 'provider tokens' = 'provider secrets',
): ProviderSecrets => {
  const encryption = createRecordEncryption(keyring, purpose)
  const makeId = (ownerId: string, { issuer, clientId }: Receiver) =>
    JSON.stringify([ownerId, issuer, clientId])
  return {
    encrypt: (ownerId, receiver, secret) => encryption.encrypt(makeId(ownerId, receiver), { secret }),
    async decrypt(ownerId, receiver, encryptedSecret) {
      const payload = await encryption.decrypt(makeId(ownerId, receiver), encryptedSecret)
      return typeof payload?.secret === 'string' ? payload.secret : undefined
    },
    isOfThisKey: encryption.isOfThisKey,
  }
}
