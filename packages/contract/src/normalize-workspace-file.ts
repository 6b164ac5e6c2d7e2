/** Writes out the defaults of a workspace file, so that two spellings of the same content compare as equal. */

import { canonicalDomain, canonicalEmail } from './email-address.ts'
import { normalizeRights } from './normalize-rights.ts'
import type { Role } from './roles.ts'
import type { WorkspaceFile } from './workspace-file.ts'

/** A fixed order, so that lists of roles compare as sets. */
const roleOrder: readonly Role[] = ['administrator', 'user', 'api', 'data-provider']
export const sortRoles = <R extends Role>(roles: readonly R[]): R[] =>
  [...roles].sort((a, b) => roleOrder.indexOf(a) - roleOrder.indexOf(b))

const mapEntries = <A, B>(
  record: Readonly<Record<string, A>> | undefined,
  write: (value: A) => B,
  writeName = (name: string) => name,
): Record<string, B> =>
  Object.fromEntries(
    Object.entries(record ?? {}).map(([name, value]) => [writeName(name), write(value)] as const),
  )

/** Absent when false, which is the default. */
const writeDpop = (dpop: boolean | undefined): { dpop?: true } => (dpop ? { dpop } : {})

/** The domains of the provider in their one form. */
const normalizeProvider = ({ identityProvider }: Pick<WorkspaceFile, 'identityProvider'>) =>
  identityProvider?.domains
    ? {
        identityProvider: {
          ...identityProvider,
          domains: identityProvider.domains.map(domain => canonicalDomain(domain) ?? domain),
        },
      }
    : {}

/** Returns the content of a file with every default written out. */
export const normalizeWorkspaceFile = (file: WorkspaceFile) => {
  // Storage returns JSON, which has no -0, for example.
  const stored = JSON.parse(JSON.stringify(file)) as WorkspaceFile
  const { members, applications, systemToSystem, ...definition } = stored
  return {
    definition: { ...definition, ...normalizeProvider(definition) },
    members: mapEntries(
      members,
      member => {
        const { roles, filter, ...rights } = Array.isArray(member) ? { roles: member } : member
        return { roles: sortRoles(roles), ...(filter ? { filter } : {}), ...normalizeRights(rights) }
      },
      canonicalEmail,
    ),
    applications: mapEntries(
      applications,
      ({
        title,
        type,
        redirectUris,
        origins,
        logoutUris,
        backchannelLogoutUri,
        defaultAudience,
        own,
        pkce,
        nonce,
        idTokenAlgorithm,
        publicKeys,
        jwksUri,
        profile,
        dpop,
        registered,
        // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: a line for each key
      }) => ({
        ...(title === undefined ? {} : { title }),
        type: type ?? 'browser',
        redirectUris,
        origins: origins ?? [],
        logoutUris: logoutUris ?? [],
        ...(backchannelLogoutUri === undefined ? {} : { backchannelLogoutUri }),
        ...(defaultAudience === undefined ? {} : { defaultAudience }),
        own: own ?? false,
        // Absent when true, which is the default.
        ...(pkce === false ? { pkce } : {}),
        ...(nonce === false ? { nonce } : {}),
        ...(idTokenAlgorithm === 'ES256' ? { idTokenAlgorithm } : {}),
        ...(publicKeys ? { publicKeys } : {}),
        ...(jwksUri === undefined ? {} : { jwksUri }),
        ...(profile ? { profile } : {}),
        ...writeDpop(dpop),
        ...(registered ? { registered } : {}),
      }),
    ),
    systemToSystem: mapEntries(systemToSystem, ({ roles, addresses, dpop, filter, ...rights }) => ({
      roles: sortRoles(roles),
      addresses: addresses ?? [],
      ...writeDpop(dpop),
      ...(filter ? { filter } : {}),
      ...normalizeRights(rights),
    })),
  }
}
