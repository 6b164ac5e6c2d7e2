/** Applied states of the workspace file, and the files that restore them. */
import type { Change, WorkspaceVersion } from '@querent/contract/manage'
import { workspaceAccess } from '#authz/access'
import { findHiddenFields, type HiddenFields } from '#authz/hidden-fields'
import { findRights, type Rights, unlimitedRights } from '#authz/rights'
import { Problem } from '#errors'
import { findNames } from '#storage/audit'
import { findWorkspaceState, listWorkspaceStates, type WorkspaceStateRow } from '#storage/workspace-history'
import { type Call, type Handler, type ManagementDependencies, timestamp } from './call.ts'
import { reservedParts } from './changes.ts'
import { makeExportFile, stringifyFile } from './export.ts'
import { visibleDefinition } from './hidden-parts.ts'
import { makePage, readPageQuery } from './pages.ts'
import { restorableFile } from './restore-file.ts'
import { workspaceFileReader } from './workspace-file-reader.ts'
import { readState } from './workspace-state.ts'
import { patchedText } from './workspace-text.ts'

type Operations = 'listWorkspaceHistory' | 'getWorkspaceVersion'

export const historyHandlers = {
  listWorkspaceHistory: async (deps, call) => {
    const { db } = deps.storage
    const caller = await admit(deps, call)
    const request = readPageQuery(call.query)
    const time = Number(request.after)
    const states = await listWorkspaceStates(db, {
      workspaceId: call.workspace.id,
      ...(request.after === '' || !Number.isSafeInteger(time) ? {} : { before: time }),
      count: request.count + 1,
    })
    const { rows, next } = makePage(states, request, row => String(row.at))
    const names = await findNames(db, [...new Set(rows.map(({ actor }) => actor))])
    return { items: rows.map(row => describeState(row, names, caller)), next }
  },
  getWorkspaceVersion: async (deps, call) => {
    const { workspace, params, principal } = call
    const { db } = deps.storage
    const { mayAdminister, rights } = await admit(deps, call)
    const source = await findWorkspaceState(db, workspace.id, params.version)
    if (source === undefined)
      throw new Problem('no-such-resource', `the history has no state ${params.version}`)
    const sender = {
      account: principal.subject,
      owner: workspace.id,
      nativeSchemes: deps.nativeSchemes,
    }
    const { file: current } = makeExportFile((await readState(db, workspace)).fullWorkspace, mayAdminister)
    const state = await workspaceFileReader.read(sender, source)
    const file = restorableFile(state, current, mayAdminister)
    if (rights.hidden) {
      const hidden = uniteHidden(rights.hidden, findHiddenFields(state, rights.groups))
      return { source: stringifyFile(visibleDefinition(file, hidden), []) }
    }
    const text = await patchedText(workspace.id, { source, file, isReduced: !mayAdminister })
    return { source: text ?? stringifyFile(file, []) }
  },
} satisfies { [Id in Operations]: Handler<Id> }

/** Returns what decides about the caller's sight of the history. */
const admit = async (
  { directory }: ManagementDependencies,
  { workspace, principal }: Call<Operations>,
): Promise<{ mayAdminister: boolean; rights: Rights }> => {
  const member = await directory.member(workspace.id, principal.subject)
  return {
    mayAdminister: workspaceAccess(principal, workspace, member, 'administer').allowed,
    rights: member ? findRights(workspace.definition, member) : unlimitedRights,
  }
}

/** Joins the fields that were hidden then, and those that are now. */
const uniteHidden = (
  now: HiddenFields,
  then: HiddenFields | undefined,
): { fields: ReadonlyMap<string, ReadonlySet<string>> } => ({
  fields: new Map(
    [...new Set([...now.fields.keys(), ...(then?.fields.keys() ?? [])])].map(name => [
      name,
      new Set([...(now.fields.get(name) ?? []), ...(then?.fields.get(name) ?? [])]),
    ]),
  ),
})

const administratorsParts: readonly string[] = ['members', 'applications', 'systemToSystem', ...reservedParts]
/** Parts whose old values could name what is hidden, also if it is gone since. */
const partsWithFields: readonly string[] = ['collections', 'apis', 'configurations', 'tests']

const describeState = (
  { id, at, actor, changes_json }: WorkspaceStateRow,
  names: ReadonlyMap<string, string>,
  { mayAdminister, rights }: Awaited<ReturnType<typeof admit>>,
): WorkspaceVersion => {
  // Written only by `recordWorkspaceState`.
  const { changes, edits = [] } = JSON.parse(changes_json) as { changes: number; edits?: Change[] }
  const hiddenParts = [
    ...(mayAdminister ? [] : administratorsParts),
    ...(rights.hidden ? partsWithFields : []),
  ]
  const readable = edits.filter(({ path }) => !hiddenParts.includes(path.split('.', 1)[0] ?? ''))
  return {
    id,
    at: timestamp(at),
    actor: names.get(actor) ?? actor,
    changes: edits.length > 0 || rights.hidden ? readable.length : changes,
    textOnly: changes === 0,
    edits: readable,
  }
}
