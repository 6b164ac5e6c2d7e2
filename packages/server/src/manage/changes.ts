/** What a workspace file changes: pure comparison of two files (workspace-file.md). */

import { isDeepStrictEqual } from 'node:util'
import type { Change, Role, RowFilter, SystemRole } from '@querent/contract/manage'
import { normalizeWorkspaceFile } from '@querent/contract/normalize-workspace-file'
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
export interface FullWorkspace {
  definition: Definition
  /** By e-mail address in lower case. */
  members: Record<string, FullMember>
  /** By name. */
  applications: Record<string, FullApplication>
  systemToSystem: Record<string, FullSystem>
}

/** Parts of a definition that only administrators read and change (authorization-server.md, Members and roles). */
const reservedParts = ['identityProvider', 'settings'] as const satisfies (keyof Definition)[]

export const withoutReservedParts = (definition: Definition): Definition => {
  const { identityProvider, settings, ...rest } = definition
  return rest
}

/**
 * The workspace after the file is applied. Members, applications and accounts that the file doesn't name stay; the definition becomes the
 * file's. `mayAdminister` false: the reserved parts stay too where the file leaves them out, because the caller's export has none of them.
 */
export const mergeFile = (
  before: FullWorkspace | undefined,
  file: WorkspaceFile,
  mayAdminister = true,
): FullWorkspace => {
  const fileWorkspace = normalizeWorkspaceFile(file)
  const reserved = Object.fromEntries(
    reservedParts.flatMap(part => {
      const value = before?.definition[part]
      const isRetained = !mayAdminister && value !== undefined && fileWorkspace.definition[part] === undefined
      return isRetained ? [[part, value] as const] : []
    }),
  )
  return {
    definition: { ...fileWorkspace.definition, ...reserved },
    members: { ...before?.members, ...fileWorkspace.members },
    applications: { ...before?.applications, ...fileWorkspace.applications },
    systemToSystem: { ...before?.systemToSystem, ...fileWorkspace.systemToSystem },
  }
}

/** Parts whose members are compared one by one; all else is one unit. `*` stands for any name. */
const nestedPatterns: ReadonlySet<string> = new Set([
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
const makeTree = ({ definition, ...others }: FullWorkspace): Record<string, unknown> => {
  const { workspace: _, identityProvider, ...parts } = definition
  return {
    ...Object.fromEntries(sections.map(section => [section, {}])),
    ...parts,
    ...others,
    ...(identityProvider ? { identityProvider } : {}),
  }
}

/** What differs, in the order of the file, then what is gone. `before` undefined: everything is new. */
export const changesBetween = (before: FullWorkspace | undefined, after: FullWorkspace): Change[] => {
  const changes: Change[] = []
  const compare = (old: unknown, now: unknown, path: string[], pattern: string[]): void => {
    if (isDeepStrictEqual(old, now)) return
    const place = path.join('.')
    if (old === undefined) changes.push({ change: 'add', path: place, after: now })
    else if (now === undefined) changes.push({ change: 'remove', path: place, before: old })
    else if (nestedPatterns.has(pattern.join('.')) && isMapping(old) && isMapping(now)) {
      for (const name of new Set([...Object.keys(now), ...Object.keys(old)]))
        compare(
          readOwnProperty(old, name),
          readOwnProperty(now, name),
          [...path, name],
          [...pattern, toPatternName(pattern, name)],
        )
    } else changes.push({ change: 'change', path: place, before: old, after: now })
  }
  const empty: FullWorkspace = {
    definition: { workspace: '' },
    members: {},
    applications: {},
    systemToSystem: {},
  }
  compare(makeTree(before ?? empty), makeTree(after), [], [])
  return changes
}

/** Names stand for themselves at the root and inside one collection or API, where the parts are named by the contract. */
const toPatternName = (pattern: readonly string[], name: string): string =>
  pattern.length === 0 || pattern.length === 2 ? name : '*'

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const readOwnProperty = (mapping: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(mapping, name) ? mapping[name] : undefined
