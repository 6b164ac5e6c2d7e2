/** What a workspace file changes: pure comparison of two files (workspace-file.md). */

import { isDeepStrictEqual } from 'node:util'
import type { Change, Role, RowFilter, SystemRole } from '@querent/contract/manage'
import type { Definition, WorkspaceFile } from '@querent/contract/workspace-file'
import type { ApplicationSettings } from '#storage/clients'

export interface FullMember {
  roles: Role[]
  filter?: RowFilter
}
/** As storage keeps it. */
export type FullApplication = ApplicationSettings
export interface FullSystem {
  roles: SystemRole[]
  addresses: string[]
  filter?: RowFilter
}

/** A workspace as one value, every default written out. */
export interface Described {
  definition: Definition
  /** By e-mail address in lower case. */
  members: Record<string, FullMember>
  /** By name. */
  applications: Record<string, FullApplication>
  systemToSystem: Record<string, FullSystem>
}

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
export const describeFile = (file: WorkspaceFile): Described => {
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

/** The workspace once the file is applied: who and what is not named in it stays; the definition is the file's. */
export const applied = (before: Described | undefined, file: WorkspaceFile): Described => {
  const wanted = describeFile(file)
  return {
    definition: wanted.definition,
    members: { ...before?.members, ...wanted.members },
    applications: { ...before?.applications, ...wanted.applications },
    systemToSystem: { ...before?.systemToSystem, ...wanted.systemToSystem },
  }
}

/** Parts whose members are compared one by one; all else is one unit. `*` stands for any name. */
const opened: ReadonlySet<string> = new Set([
  '',
  'collections',
  'collections.*',
  'collections.*.fields',
  'configurations',
  'apis',
  'apis.*',
  'apis.*.endpoints',
  'members',
  'applications',
  'systemToSystem',
  'settings',
])
const sections = ['collections', 'configurations', 'apis', 'settings'] as const

/** As one tree of parts: a section that is left out is an empty one, no identity provider is null. */
const treeOf = ({ definition, ...others }: Described): Record<string, unknown> => {
  const { workspace: _, identityProvider, ...parts } = definition
  return {
    ...Object.fromEntries(sections.map(section => [section, {}])),
    ...parts,
    ...others,
    ...(identityProvider ? { identityProvider } : {}),
  }
}

/** What differs, in the order of the file, then what is gone. `before` undefined: everything is new. */
export const changesBetween = (before: Described | undefined, after: Described): Change[] => {
  const changes: Change[] = []
  const compare = (old: unknown, now: unknown, path: string[], pattern: string[]): void => {
    if (isDeepStrictEqual(old, now)) return
    const place = path.join('.')
    if (old === undefined) changes.push({ change: 'add', path: place, after: now })
    else if (now === undefined) changes.push({ change: 'remove', path: place, before: old })
    else if (opened.has(pattern.join('.')) && isMapping(old) && isMapping(now)) {
      for (const name of new Set([...Object.keys(now), ...Object.keys(old)]))
        compare(ownOf(old, name), ownOf(now, name), [...path, name], [...pattern, wild(pattern, name)])
    } else changes.push({ change: 'change', path: place, before: old, after: now })
  }
  const empty: Described = {
    definition: { workspace: '' },
    members: {},
    applications: {},
    systemToSystem: {},
  }
  compare(treeOf(before ?? empty), treeOf(after), [], [])
  return changes
}

/** Names stand for themselves at the root and inside one collection or API, where the parts are named by the contract. */
const wild = (pattern: readonly string[], name: string): string =>
  pattern.length === 0 || pattern.length === 2 ? name : '*'

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const ownOf = (mapping: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(mapping, name) ? mapping[name] : undefined
