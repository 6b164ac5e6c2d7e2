/** A workspace file with every default written out, so that two spellings of one thing compare as equal. */
import type { Role } from './manage.ts'
import type { WorkspaceFile } from './workspace-file.ts'

/** Roles in the order of the contract, so that lists compare as sets. */
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

/** What a file says, every default written out. */
export const describeFile = (file: WorkspaceFile) => {
  // As storage gives it back: JSON knows no -0, for one.
  const kept = JSON.parse(JSON.stringify(file)) as WorkspaceFile
  const { members, applications, systemToSystem, ...definition } = kept
  return {
    definition,
    members: mapEntries(
      members,
      member => {
        const { roles, filter } = Array.isArray(member) ? { roles: member, filter: undefined } : member
        return { roles: sortRoles(roles), ...(filter ? { filter } : {}) }
      },
      email => email.trim().toLowerCase(),
    ),
    applications: mapEntries(
      applications,
      ({
        title,
        type,
        redirectUris,
        origins,
        logoutUris,
        own,
        pkce,
        nonce,
        idTokenAlgorithm,
        publicKeys,
      }) => ({
        ...(title === undefined ? {} : { title }),
        type: type ?? 'browser',
        redirectUris,
        origins: origins ?? [],
        logoutUris: logoutUris ?? [],
        own: own ?? false,
        // Absent when true, as it nearly always is.
        ...(pkce === false ? { pkce } : {}),
        ...(nonce === false ? { nonce } : {}),
        ...(idTokenAlgorithm === 'ES256' ? { idTokenAlgorithm } : {}),
        ...(publicKeys ? { publicKeys } : {}),
      }),
    ),
    systemToSystem: mapEntries(systemToSystem, ({ roles, addresses, filter }) => ({
      roles: sortRoles(roles),
      addresses: addresses ?? [],
      ...(filter ? { filter } : {}),
    })),
  }
}
