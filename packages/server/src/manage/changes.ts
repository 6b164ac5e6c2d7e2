/** Compares two workspace files; pure. */

import { isDeepStrictEqual } from 'node:util'
import type { Change, MembershipRights, Role, RowFilter, SystemRole } from '@querent/contract/manage'
import { normalizeWorkspaceFile } from '@querent/contract/normalize-workspace-file'
import type { Definition, WorkspaceFile } from '@querent/contract/workspace-file'
import type { ApplicationSettings } from '#storage/clients'

export interface FullMember extends MembershipRights {
  roles: Role[]
  filter?: RowFilter
}
/** As stored. */
export type FullApplication = ApplicationSettings
export interface FullSystem extends MembershipRights {
  roles: SystemRole[]
  addresses: string[]
  dpop?: true
  filter?: RowFilter
}

/** A workspace as one value with explicit defaults. */
export interface FullWorkspace {
  definition: Definition
  /** By lower-case e-mail address. */
  members: Record<string, FullMember>
  /** By name. */
  applications: Record<string, FullApplication>
  systemToSystem: Record<string, FullSystem>
}

/** Parts of a definition that only administrators read and change. */
export const reservedParts = [
  'groups',
  'memberDefaults',
  'identityProvider',
  'branding',
  'settings',
] as const satisfies (keyof Definition)[]

export const withoutReservedParts = (definition: Definition): Definition => {
  const { groups, memberDefaults, identityProvider, branding, settings, ...rest } = definition
  return rest
}

/**
 * Returns the workspace after the file is applied. Members, applications and accounts missing in the file
 * stay; the definition is replaced. If `mayAdminister` is false, missing reserved parts stay too, because the
 * caller's export does not have them.
 */
export const mergeFile = (
  current: FullWorkspace | undefined,
  file: WorkspaceFile,
  mayAdminister = true,
): FullWorkspace => {
  const fileWorkspace = normalizeWorkspaceFile(file)
  const reserved = Object.fromEntries(
    reservedParts.flatMap(part => {
      const value = current?.definition[part]
      const isRetained = !mayAdminister && value !== undefined && fileWorkspace.definition[part] === undefined
      return isRetained ? [[part, value] as const] : []
    }),
  )
  return {
    definition: { ...fileWorkspace.definition, ...reserved },
    members: { ...current?.members, ...fileWorkspace.members },
    applications: { ...current?.applications, ...fileWorkspace.applications },
    systemToSystem: { ...current?.systemToSystem, ...fileWorkspace.systemToSystem },
  }
}

/** Parts compared member by member; all others are one unit. `*` matches any name. */
const nestedPatterns: ReadonlySet<string> = new Set([
  '',
  'collections',
  'collections.*',
  'collections.*.fields',
  'configurations',
  'apis',
  'apis.*',
  'apis.*.endpoints',
  'groups',
  'members',
  'applications',
  'systemToSystem',
  'settings',
])
const sections = ['collections', 'configurations', 'apis', 'groups', 'settings'] as const

/** Makes one tree of parts. A missing section is empty. */
const makeTree = ({ definition, ...otherSections }: FullWorkspace): Record<string, unknown> => {
  const { workspace: _, identityProvider, branding, ...parts } = definition
  return {
    ...Object.fromEntries(sections.map(section => [section, {}])),
    ...parts,
    ...otherSections,
    ...(identityProvider ? { identityProvider } : {}),
    ...(branding ? { branding } : {}),
  }
}

/** Lists differences in the order of the file, then removals. `current` undefined: everything is new. */
export const changesBetween = (current: FullWorkspace | undefined, desired: FullWorkspace): Change[] => {
  const changes: Change[] = []
  const compare = (oldValue: unknown, newValue: unknown, path: string[], pattern: string[]): void => {
    if (isDeepStrictEqual(oldValue, newValue)) return
    const place = path.join('.')
    if (oldValue === undefined) changes.push({ change: 'add', path: place, after: newValue })
    else if (newValue === undefined) changes.push({ change: 'remove', path: place, before: oldValue })
    else if (nestedPatterns.has(pattern.join('.')) && isMapping(oldValue) && isMapping(newValue)) {
      for (const name of new Set([...Object.keys(newValue), ...Object.keys(oldValue)]))
        compare(
          readOwnProperty(oldValue, name),
          readOwnProperty(newValue, name),
          [...path, name],
          [...pattern, toPatternName(pattern, name)],
        )
    } else changes.push({ change: 'change', path: place, before: oldValue, after: newValue })
  }
  const empty: FullWorkspace = {
    definition: { workspace: '' },
    members: {},
    applications: {},
    systemToSystem: {},
  }
  compare(makeTree(current ?? empty), makeTree(desired), [], [])
  return changes
}

/** At the root and inside one collection or API, the contract names the parts, so their names are kept. */
const toPatternName = (pattern: readonly string[], name: string): string =>
  pattern.length === 0 || pattern.length === 2 ? name : '*'

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const readOwnProperty = (mapping: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(mapping, name) ? mapping[name] : undefined
