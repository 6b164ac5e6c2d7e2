/** Warns about values of row filters that no document has (authorization-server.md, Seeing what holds). */

import { describeFault } from '@querent/contract/fault-texts'
import { isFilterable } from '@querent/contract/field-value'
import { listedValues, nowValue } from '@querent/contract/listed-values'
import type { RowFilter, RowFilterCondition, RowFilterScalar } from '@querent/contract/manage'
import { expandFields } from '@querent/contract/object-fields'
import { readConditionValue } from '@querent/contract/read-condition'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { workspaceAccess } from '#authz/access'
import { isLimited } from '#authz/rights'
import type { WorkspaceRow } from '#storage/workspaces'
import type { Call, ManagementDependencies } from './call.ts'
import type { FileFinding } from './workspace-file-tasks.ts'

/** Different values that are looked for. */
const valuesMax = 200
/** More than anybody reads. */
const warningsMax = 100

/** Looks at the filters of the file, if the caller sees all documents. A collection without documents gives no warning. */
export const filterValueWarnings = async (
  { directory, collections }: Pick<ManagementDependencies, 'directory' | 'collections'>,
  { principal }: Pick<Call<'applyWorkspaceFile'>, 'principal'>,
  workspace: WorkspaceRow,
  file: WorkspaceFile,
): Promise<FileFinding[]> => {
  const member = await directory.member(workspace.id, principal.subject)
  const access = workspaceAccess(principal, workspace, member, 'administer')
  if (!access.allowed || access.rights.filter || isLimited(access.rights)) return []
  const filled = await listFilled(collections, workspace)
  const isPresentByValue = new Map<string, boolean>()
  const warnings: FileFinding[] = []
  for (const { path, field, value } of listValues(file)) {
    const key = JSON.stringify([field, value])
    if (!isPresentByValue.has(key)) {
      if (isPresentByValue.size === valuesMax) break
      // The file is applied, whether the documents can be searched or not.
      const isPresent = await isUsed(collections, workspace, filled, field, value).catch(() => true)
      isPresentByValue.set(key, isPresent)
    }
    if (isPresentByValue.get(key)) continue
    warnings.push({ path, ...describeFault('unmatched-value', { found: JSON.stringify(value), field }) })
    if (warnings.length === warningsMax) break
  }
  return warnings
}

/** Names of the collections that have documents. */
const listFilled = async (
  collections: ManagementDependencies['collections'],
  workspace: WorkspaceRow,
): Promise<string[]> => {
  const names = Object.keys(workspace.definition.collections ?? {})
  const samples = await Promise.all(
    names.map(name => collections.sample(workspace.id, name, 1).catch(() => [])),
  )
  return names.filter((_, index) => (samples[index] ?? []).length > 0)
}

/** Whether a document has the value. True if no collection with documents has the field: then nobody can tell. */
const isUsed = async (
  collections: ManagementDependencies['collections'],
  { id, definition }: WorkspaceRow,
  filled: readonly string[],
  field: string,
  value: RowFilterScalar,
): Promise<boolean> => {
  let isKnown = false
  for (const name of filled) {
    const type = expandFields(definition.collections?.[name]?.fields)[field]?.type
    const typed = type && isFilterable(type) ? readConditionValue(type, value, '') : undefined
    if (typed === undefined) continue
    if (await collections.hasValue(id, name, field, typed)) return true
    isKnown = true
  }
  return !isKnown
}

interface FilterValue {
  path: FileFinding['path']
  field: string
  value: RowFilterScalar
}

function* listValues({
  groups = {},
  memberDefaults,
  members = {},
  systemToSystem = {},
}: WorkspaceFile): Iterable<FilterValue> {
  for (const [name, { filter }] of Object.entries(groups))
    yield* listFilterValues(filter, ['groups', name, 'filter'])
  yield* listFilterValues(memberDefaults?.filter, ['memberDefaults', 'filter'])
  for (const [name, member] of Object.entries(members))
    if (!Array.isArray(member)) yield* listFilterValues(member.filter, ['members', name, 'filter'])
  for (const [name, { filter }] of Object.entries(systemToSystem))
    yield* listFilterValues(filter, ['systemToSystem', name, 'filter'])
}

function* listFilterValues(filter: RowFilter = {}, path: FileFinding['path']): Iterable<FilterValue> {
  for (const [field, condition] of Object.entries(filter))
    yield* listConditionValues(condition, field, [...path, field])
}

function* listConditionValues(
  condition: RowFilterCondition,
  field: string,
  path: FileFinding['path'],
): Iterable<FilterValue> {
  for (const [index, value] of (listedValues(condition) ?? []).entries())
    if (value !== nowValue) yield { path: Array.isArray(condition) ? [...path, index] : path, field, value }
  if (typeof condition === 'object' && !Array.isArray(condition) && 'not' in condition)
    yield* listConditionValues(condition.not, field, [...path, 'not'])
}
