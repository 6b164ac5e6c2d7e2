/** Groups of a workspace, and the defaults of members. They are parts of its definition. */
import { clientFaults } from '@querent/contract/client-faults'
import { describeFault } from '@querent/contract/fault-texts'
import { groupsOfFields } from '@querent/contract/hidden-fields'
import type { NamedGroup } from '@querent/contract/manage'
import { groupName } from '@querent/contract/normalize-rights'
import type { Definition } from '@querent/contract/workspace-file'
import { findRights, hasEnded } from '#authz/rights'
import { Problem } from '#errors'
import { findClients } from '#storage/clients'
import type { Db, Writer } from '#storage/db'
import { findMemberWithGroup, listMembersNaming } from '#storage/members'
import { lockWorkspace, saveDefinition, type WorkspaceRow } from '#storage/workspaces'
import { audit, type Call, type Handler, type ManagementDependencies, rightsSource } from './call.ts'
import { describeMembers } from './members.ts'
import { makePage, readPageQuery } from './pages.ts'
import { prepareFormState } from './record-form.ts'
import { badField, makeFaultsProblem } from './validation-problem.ts'

type Operations = 'listGroups' | 'listGroupMembers' | 'setGroup' | 'removeGroup' | 'setMemberDefaults'

export const groupHandlers = {
  listGroups: async (_, { workspace }) => ({
    items: Object.entries(workspace.definition.groups ?? {}).map(([group, rights]) => ({ group, ...rights })),
    memberDefaults: workspace.definition.memberDefaults ?? {},
  }),
  listGroupMembers: async ({ storage }, { workspace, params, query }) => {
    const { group } = params
    if (!Object.hasOwn(workspace.definition.groups ?? {}, group)) throw noSuchGroup(group)
    const { after, count } = readPageQuery(query)
    const rows = await listMembersNaming(storage.db, workspace.id, group, after, count + 1)
    const page = makePage(rows, { after, count }, ({ subject }) => subject)
    const members = page.rows.filter(
      row => !hasEnded(row) && findRights(workspace.definition, row).groups.includes(group),
    )
    return { items: await describeMembers(storage.db, members), next: page.next }
  },
  setGroup: async (deps, call) => {
    const { group } = call.params
    return change(deps, call, {
      target: group,
      edit: definition => ({ ...definition, groups: { ...definition.groups, [group]: call.input } }),
      check: async ({ definition }, { db }) => {
        if (!Object.hasOwn(definition.groups ?? {}, group)) await refuseClientId(db, group)
      },
      readBefore: ({ groups }) => groups?.[group] ?? null,
      reply: { group, ...call.input } satisfies NamedGroup,
    })
  },
  removeGroup: async (deps, call) => {
    const { group } = call.params
    return change(deps, call, {
      target: group,
      edit: definition => {
        const { [group]: removed, ...groups } = definition.groups ?? {}
        if (!removed) throw noSuchGroup(group)
        return { ...definition, groups }
      },
      check: async (workspace, { db }) => {
        await refuseNamedGroup(db, workspace, group)
        const field = groupsOfFields(workspace.definition.collections).get(group)
        if (field !== undefined)
          throw new Problem('conflict', describeFault('group-of-field', { group, field }).message)
      },
      readBefore: ({ groups }) => groups?.[group] ?? null,
      reply: undefined,
    })
  },
  setMemberDefaults: async (deps, call) =>
    change(deps, call, {
      target: 'memberDefaults',
      edit: definition => ({ ...definition, memberDefaults: call.input }),
      readBefore: ({ memberDefaults }) => memberDefaults ?? null,
      reply: call.input,
    }),
} satisfies { [Id in Operations]: Handler<Id> }

const noSuchGroup = (group: string): Problem =>
  new Problem('no-such-resource', `the workspace has no group ${group}`)

interface DefinitionEdit<Reply> {
  /** Target of the audit entry. */
  target: string
  /** Throws if the definition lacks the part that the edit is about. */
  edit: (definition: Definition) => Definition
  /** Throws in the transaction if the edit is not possible. */
  check?: (workspace: WorkspaceRow, writer: Writer) => Promise<void>
  /** Returns the value that the edit replaces. */
  readBefore: (definition: Definition) => unknown
  reply: Reply
}

/** Changes the definition in one transaction, if a file could have the result. */
const change = async <Reply>(
  deps: Pick<ManagementDependencies, 'storage' | 'authUrl'>,
  call: Call<Exclude<Operations, 'listGroups' | 'listGroupMembers'>>,
  { target, edit, check, readBefore, reply }: DefinitionEdit<Reply>,
): Promise<Reply> => {
  const recordState = await prepareFormState(deps, call, edit)
  return deps.storage.write(async writer => {
    const present = (await lockWorkspace(writer, call.workspace.slug)) ?? call.workspace
    const definition = edit(present.definition)
    await check?.(present, writer)
    refuseFaults(definition)
    await saveDefinition(writer, present.id, definition)
    await recordState(writer, { workspace: present, before: present.definition, after: definition })
    await audit(writer, call, {
      workspaceId: present.id,
      target,
      detail: {
        ...Object(call.input),
        before: readBefore(present.definition),
        source: rightsSource(deps, call),
      },
    })
    return reply
  })
}

/** Throws 400 for faults of groups and defaults. A provider whose map names the group has one, too. */
const refuseFaults = (definition: Definition): void => {
  const parts: readonly unknown[] = ['groups', 'memberDefaults', 'identityProvider']
  const faults = [...clientFaults(definition, [])].filter(({ path }) => parts.includes(path[0]))
  const problem = makeFaultsProblem('workspace', faults)
  if (problem) throw problem
}

/** Throws 400: `readers` of documents could not tell the two apart. */
const refuseClientId = async (db: Db, group: string): Promise<void> => {
  if ((await findClients(db, [group])).length > 0)
    throw badField([], 'group-with-client-id', { found: group })
}

/** Throws 409 if a membership or an open invitation names the group. */
const refuseNamedGroup = async (db: Db, { id }: WorkspaceRow, group: string): Promise<void> => {
  const names = (grants: readonly Parameters<typeof groupName>[0][] = []) =>
    grants.map(groupName).includes(group)
  const holder = await findMemberWithGroup(db, id, group, ({ groups }) => names(groups))
  if (holder !== undefined)
    throw new Problem('conflict', `a ${holder} names the group ${group}: take it from there first`)
}
