/** Checks that the server's key decrypts the stored secrets of people and workspaces. */
import type { HealthCheck } from '@querent/contract/manage'
import type { UnreadableSecrets } from '#keys/unreadable-secrets'

/** None if all can be decrypted. */
export const secretsChecks = ({ authenticatorApps, providerSecrets }: UnreadableSecrets): HealthCheck[] =>
  authenticatorApps + providerSecrets === 0
    ? []
    : [
        {
          name: 'secrets',
          state: 'fail',
          message: `encrypted with another QUERENT_KEY: ${authenticatorApps} authenticator apps, ${providerSecrets} client secrets of OpenID providers`,
          advice:
            'people set up their app again with a recovery code, and administrators set the client secret again with `querent provider set-secret`; or start with the earlier key',
        },
      ]
