/** Checks that the server's key decrypts the stored secrets of people and workspaces. */
import type { HealthCheck } from '@querent/contract/manage'
import { type UnreadableSecrets, unreadableAdvice } from '#keys/unreadable-secrets'

/** None if all can be decrypted. Fails if somebody must set up a secret again. */
export const secretsChecks = (unreadable: readonly UnreadableSecrets[]): HealthCheck[] => {
  if (unreadable.length === 0) return []
  const isLasting = unreadable.some(({ untilReplacedBy }) => untilReplacedBy === 'person')
  return [
    {
      name: 'secrets',
      state: isLasting ? 'fail' : 'warn',
      message: `encrypted with another key: ${unreadable.map(({ text }) => text).join(', ')}`,
      advice: `${unreadableAdvice}; without that key, ${
        isLasting
          ? 'people set up their app again with a recovery code, and administrators set the client secret again with `querent provider set-secret`'
          : 'they expire by themselves'
      }`,
    },
  ]
}
