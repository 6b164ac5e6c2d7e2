/** Finds mistakes in groups, in the defaults of members, and in what a membership names of them. */
import { describeFault, describeNotAllowed } from './fault-texts.ts'
import type { MembershipRights } from './manage/rights.ts'
import { readMembershipEnd } from './membership-end.ts'
import { describeUnknown } from './name-faults.ts'
import { groupName } from './normalize-rights.ts'
import { rowFilterFaults } from './row-filter-faults.ts'
import { describeValue, type Fault } from './schema-faults.ts'
import type { FieldType, WorkspaceFile } from './workspace-file.ts'
import type { Path } from './workspace-source.ts'

type RightsFile = Pick<WorkspaceFile, 'groups' | 'memberDefaults'>

/** Yields the faults of groups and of the defaults. Losing a group must never open anything. */
export function* groupFaults(
  { groups = {}, memberDefaults }: RightsFile,
  types: ReadonlyMap<string, FieldType[]>,
): Iterable<Fault> {
  for (const [name, group] of Object.entries(groups)) {
    const path = ['groups', name]
    yield* rowFilterFaults(types, group.filter, [...path, 'filter'])
    if (group.filter && memberDefaults?.filter === undefined)
      yield missingDefault(path, 'filter', 'filter: {}')
  }
  yield* rowFilterFaults(types, memberDefaults?.filter, ['memberDefaults', 'filter'])
}

const missingDefault = (path: Path, key: string, example: string): Fault => ({
  path: [...path, key],
  ...describeFault('missing-member-default', { key, example }),
  target: 'key',
})

/** Yields the faults of the groups that a membership names, and of their ends. */
export function* membershipFaults(
  { groups = {} }: RightsFile,
  rights: MembershipRights,
  path: Path,
): Iterable<Fault> {
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
