/** Keys that sign tokens, kept in memory. (Replaced by its builder; the interface stands.) */
import type { KeyObject } from 'node:crypto'
import type { JWK } from 'jose'

export type SigningAlgorithm = 'ES256' | 'EdDSA' | 'RS256'

export interface Keyring {
  /** Public key of this `kid`; undefined: not ours, or gone. From memory, no I/O. */
  verifier(kid: string): { key: KeyObject; alg: SigningAlgorithm } | undefined
  /** Private keys for the library: the first of a kind signs, the others are published and verify. */
  privateJwks(): JWK[]
  publicJwks(): JWK[]
  /** Calls `listener` when the set or its order has changed. Returns how to stop. */
  onRotation(listener: () => void): () => void
  close(): void
}
