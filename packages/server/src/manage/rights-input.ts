/** The rights of a membership in requests of the management API. */
import type { MembershipRights } from '@querent/contract/manage'
import { normalizeRights } from '@querent/contract/normalize-rights'
import { membershipFaults } from '@querent/contract/rights-faults'
import type { Definition } from '@querent/contract/workspace-file'
import type { Writer } from '#storage/db'
import { lockWorkspace, type WorkspaceRow } from '#storage/workspaces'
import { makeFaultsProblem } from './validation-problem.ts'

/** An omitted right stays, null removes it. */
type RightsInput = { [Key in keyof MembershipRights]?: MembershipRights[Key] | null }

const keys = ['groups', 'attributes', 'apis', 'collections', 'limits', 'until'] as const

/** The rights that the request has. */
export const pickRights = (input: RightsInput): RightsInput =>
  Object.fromEntries(keys.flatMap(key => (input[key] === undefined ? [] : [[key, input[key]]])))

/** Returns the rights after a request. Throws 400 for names that the workspace does not have, and for ends that are none. */
export const mergeRights = (
  definition: Definition,
  current: MembershipRights | undefined,
  input: RightsInput,
): MembershipRights => {
  const changes = pickRights(input)
  const problem = makeFaultsProblem('body', [...membershipFaults(definition, withoutNull(changes), [])])
  if (problem) throw problem
  return normalizeRights(withoutNull({ ...current, ...changes }))
}

/**
 * Returns the current definition, which stays as it is until the end of the transaction: a group that somebody deletes meanwhile cannot be
 * named afterwards.
 */
export const readLockedDefinition = async (
  writer: Pick<Writer, 'db'>,
  { slug, definition }: Pick<WorkspaceRow, 'slug' | 'definition'>,
): Promise<Definition> => (await lockWorkspace(writer, slug))?.definition ?? definition

const withoutNull = (rights: RightsInput): MembershipRights =>
  Object.fromEntries(Object.entries(rights).filter(([, value]) => value !== null))
