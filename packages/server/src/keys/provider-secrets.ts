/**
 * Client secrets for workspaces' own OpenID providers, encrypted with the server's key. Each is for one issuer and Client ID: after an
 * administrator names another issuer, the secret does not go there.
 */
import type { IdentityProvider } from '@querent/contract/workspace-file'
import type { Keyring } from './keyring.ts'
import { createRecordEncryption } from './record-encryption.ts'

type Receiver = Pick<IdentityProvider, 'issuer' | 'clientId'>

export interface ProviderSecrets {
  encrypt(workspaceId: string, receiver: Receiver, secret: string): Promise<string>
  /** Undefined: it was encrypted for another workspace, issuer or Client ID. */
  decrypt(workspaceId: string, receiver: Receiver, encryptedSecret: string): Promise<string | undefined>
}

export const createProviderSecrets = (keyring: Pick<Keyring, 'derive'>): ProviderSecrets => {
  const encryption = createRecordEncryption(keyring, 'provider secrets')
  const makeId = (workspaceId: string, { issuer, clientId }: Receiver) =>
    JSON.stringify([workspaceId, issuer, clientId])
  return {
    encrypt: (workspaceId, receiver, secret) => encryption.encrypt(makeId(workspaceId, receiver), { secret }),
    async decrypt(workspaceId, receiver, encryptedSecret) {
      const payload = await encryption.decrypt(makeId(workspaceId, receiver), encryptedSecret)
      return typeof payload?.secret === 'string' ? payload.secret : undefined
    },
  }
}
