/** Finds mistakes in groups, in the defaults of members, and in what a membership names of them. */
import { describeFault, describeNotAllowed } from './fault-texts.ts'
import type { Access, AccessKey, MembershipRights } from './manage/rights.ts'
import { readMembershipEnd } from './membership-end.ts'
import { describeUnknown } from './name-faults.ts'
import { groupName } from './normalize-rights.ts'
import { rowFilterFaults } from './row-filter-faults.ts'
import { describeValue, type Fault } from './schema-faults.ts'
import type { FieldType, WorkspaceFile } from './workspace-file.ts'
import type { Path } from './workspace-source.ts'

type RightsFile = Pick<WorkspaceFile, 'groups' | 'memberDefaults' | 'apis' | 'collections'>

/** Yields the faults of groups and of the defaults. Losing a group must never open anything. */
export function* groupFaults(file: RightsFile, types: ReadonlyMap<string, FieldType[]>): Iterable<Fault> {
  const { groups = {}, memberDefaults } = file
  for (const [name, group] of Object.entries(groups)) {
    const path = ['groups', name]
    yield* rowFilterFaults(types, group.filter, [...path, 'filter'])
    if (group.filter && memberDefaults?.filter === undefined)
      yield missingDefault(path, 'filter', 'filter: {}')
    for (const key of accessKeys)
      if (group[key] !== undefined && memberDefaults?.[key] === undefined)
        yield missingDefault(path, key, `${key}: all`)
    yield* accessFaults(file, group, path)
  }
  yield* rowFilterFaults(types, memberDefaults?.filter, ['memberDefaults', 'filter'])
  if (memberDefaults) yield* accessFaults(file, memberDefaults, ['memberDefaults'])
}

const accessKeys = ['apis', 'collections'] as const satisfies AccessKey[]

/** Yields the faults of names of APIs and collections. */
function* accessFaults(file: RightsFile, access: Access, path: Path): Iterable<Fault> {
  for (const key of accessKeys) {
    const names = access[key]
    if (names === undefined || names === 'all') continue
    const existing = Object.keys(file[key] ?? {})
    const code = key === 'apis' ? 'unknown-api' : 'unknown-collection'
    for (const [index, name] of names.entries())
      if (!existing.includes(name))
        yield { path: [...path, key, index], ...describeUnknown(code, name, existing), target: 'value' }
  }
}

const missingDefault = (path: Path, key: string, example: string): Fault => ({
  path: [...path, key],
  ...describeFault('missing-member-default', { key, example }),
  target: 'key',
})

/** Yields the faults of what a membership names, and of its ends. */
export function* membershipFaults(file: RightsFile, rights: MembershipRights, path: Path): Iterable<Fault> {
  const { groups = {} } = file
  yield* accessFaults(file, rights, path)
  if (rights.until !== undefined) yield* endFaults(rights.until, [...path, 'until'])
  const seenGroups = new Set<string>()
  for (const [index, grant] of (rights.groups ?? []).entries()) {
    const name = groupName(grant)
    const grantPath = [...path, 'groups', index]
    const namePath = typeof grant === 'string' ? grantPath : [...grantPath, 'group']
    if (!Object.hasOwn(groups, name))
      yield {
        path: namePath,
        ...describeUnknown('unknown-group', name, Object.keys(groups)),
        target: 'value',
      }
    else if (seenGroups.has(name))
      yield {
        path: namePath,
        ...describeFault('duplicate-group', { found: describeValue(name) }),
        target: 'value',
      }
    seenGroups.add(name)
    if (typeof grant !== 'string') yield* endFaults(grant.until, [...grantPath, 'until'])
  }
}

function* endFaults(until: string, path: Path): Iterable<Fault> {
  if (readMembershipEnd(until) === undefined)
    yield { path, ...describeNotAllowed(describeValue(until), { code: 'membership-end' }), target: 'value' }
}
