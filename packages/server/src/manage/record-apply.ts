/** Records an applied workspace file in the audit log and in the history: what changed, with the values before and after. */
import type { Change } from '@querent/contract/manage'
import type { Writer } from '#storage/db'
import type { WithdrawnAccess } from '#storage/inviter-rights'
import { recordWorkspaceState } from '#storage/workspace-history'
import { auditDetail, type Plan } from './apply-changes.ts'
import { audit, type Call, type ManagementDependencies, rightsSource } from './call.ts'

interface AppliedFile extends Pick<Plan, 'changes' | 'desired'> {
  workspaceId: string
  /** The text that is stored. */
  source: string
  /** Whether only comments or layout may have changed. */
  textChanged: boolean
  withdrawn: WithdrawnAccess | undefined
  provedDomains: readonly string[]
}

/** Records what the transaction changed; comments in the history only. An applied file that changes nothing leaves no trace. */
export const recordApply = async (
  deps: Pick<ManagementDependencies, 'authUrl'>,
  writer: Writer,
  call: Call<'applyWorkspaceFile'>,
  { changes, desired, workspaceId, source, textChanged, withdrawn, provedDomains }: AppliedFile,
): Promise<void> => {
  const described = describeChanges(changes)
  if (changes.length > 0 || textChanged) {
    const actor = call.principal.subject
    await recordWorkspaceState(writer, { workspaceId, actor, source, changes: described })
  }
  if (changes.length === 0 && provedDomains.length === 0) return
  await audit(writer, call, {
    workspaceId,
    target: desired.definition.workspace,
    detail: {
      ...auditDetail({ changes }),
      ...described,
      source: rightsSource(deps, call, true),
      ...(withdrawn && { withdrawn }),
      ...(provedDomains.length > 0 && { provedDomains }),
    },
  })
}

const editsMax = 200
/** Characters of all values of an entry, as JSON. */
const charactersMax = 16 * 1024

/**
 * Returns the details of an entry. `edits` has the parts of the values that differ, as far as there is room; a workspace file has no
 * secrets.
 */
export const describeChanges = (changes: readonly Change[]): Record<string, unknown> => {
  const edits: Change[] = []
  let characters = 0
  for (const change of changes.slice(0, editsMax)) {
    const narrowed = narrow(change)
    characters += JSON.stringify(narrowed).length
    if (characters > charactersMax) break
    edits.push(narrowed)
  }
  return {
    changes: changes.length,
    // Without all of them, sentences would tell half of the truth.
    ...(edits.length === changes.length ? { edits } : {}),
  }
}

/** Leaves out what both values have. */
const narrow = ({ change, path, before, after }: Change): Change => {
  if (change !== 'change') return { change, path, ...(change === 'add' ? { after } : { before }) }
  if (Array.isArray(before) && Array.isArray(after))
    return { change, path, before: withoutItems(before, after), after: withoutItems(after, before) }
  if (isMapping(before) && isMapping(after))
    return { change, path, before: withoutEntries(before, after), after: withoutEntries(after, before) }
  return { change, path, before, after }
}

const withoutItems = (list: readonly unknown[], other: readonly unknown[]): unknown[] => {
  const texts = new Set(other.map(item => JSON.stringify(item)))
  return list.filter(item => !texts.has(JSON.stringify(item)))
}

const withoutEntries = (
  mapping: Record<string, unknown>,
  other: Record<string, unknown>,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(mapping).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(other[name])),
  )

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
