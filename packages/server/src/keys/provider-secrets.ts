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
  /** Like `decrypt`, with the reason why there is no secret. `receiver` undefined: none. */
  open(ownerId: string, receiver: Receiver | undefined, encryptedSecret: string): Promise<OpenedSecret>
}

/** `other-provider`: for another owner, issuer or Client ID. `unreadable`: of a key before `QUERENT_KEY` was replaced. */
export type OpenedSecret = { state: 'readable'; secret: string } | { state: 'other-provider' | 'unreadable' }

export const createProviderSecrets = (
  keyring: Pick<Keyring, 'derive'>,
  purpose: 'provider secrets' | 'provider tokens' = 'provider secrets',
): ProviderSecrets => {
  const encryption = createRecordEncryption(keyring, purpose)
  const makeId = (ownerId: string, receiver: Receiver | undefined) =>
    JSON.stringify([ownerId, receiver?.issuer, receiver?.clientId])
  const open: ProviderSecrets['open'] = async (ownerId, receiver, encryptedSecret) => {
    const record = await encryption.open(makeId(ownerId, receiver), encryptedSecret)
    // Written only by `encrypt`.
    if (record.state === 'readable') return { state: 'readable', secret: String(record.payload.secret) }
    return { state: record.state === 'other-key' ? 'unreadable' : 'other-provider' }
  }
  return {
    encrypt: (ownerId, receiver, secret) => encryption.encrypt(makeId(ownerId, receiver), { secret }),
    open,
    async decrypt(ownerId, receiver, encryptedSecret) {
      const record = await open(ownerId, receiver, encryptedSecret)
      return record.state === 'readable' ? record.secret : undefined
    },
  }
}
