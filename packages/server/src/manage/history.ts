/** Applied states of the workspace file, and the files that restore them. */
import type { Change, WorkspaceVersion } from '@querent/contract/manage'
import { workspaceAccess } from '#authz/access'
import { findRights } from '#authz/rights'
import { Problem } from '#errors'
import { findNames } from '#storage/audit'
import { findWorkspaceState, listWorkspaceStates, type WorkspaceStateRow } from '#storage/workspace-history'
import { type Call, type Handler, type ManagementDependencies, timestamp } from './call.ts'
import { reservedParts } from './changes.ts'
import { makeExportFile, stringifyFile } from './export.ts'
import { makePage, readPageQuery } from './pages.ts'
import { hiddenFieldsMessage, makeRefusal } from './refuse.ts'
import { restorableFile } from './restore-file.ts'
import { workspaceFileReader } from './workspace-file-reader.ts'
import { readState } from './workspace-state.ts'
import { patchedText } from './workspace-text.ts'

type Operations = 'listWorkspaceHistory' | 'getWorkspaceVersion'

export const historyHandlers = {
  listWorkspaceHistory: async (deps, call) => {
    const { db } = deps.storage
    const { mayAdminister } = await admit(deps, call)
    const request = readPageQuery(call.query)
    const time = Number(request.after)
    const states = await listWorkspaceStates(db, {
      workspaceId: call.workspace.id,
      ...(request.after === '' || !Number.isSafeInteger(time) ? {} : { before: time }),
      count: request.count + 1,
    })
    const { rows, next } = makePage(states, request, row => String(row.at))
    const names = await findNames(db, [...new Set(rows.map(({ actor }) => actor))])
    return { items: rows.map(row => describeState(row, names, mayAdminister)), next }
  },
  getWorkspaceVersion: async (deps, call) => {
    const { workspace, params, principal } = call
    const { db } = deps.storage
    const { mayAdminister } = await admit(deps, call)
    const source = await findWorkspaceState(db, workspace.id, params.version)
    if (source === undefined)
      throw new Problem('no-such-resource', `the history has no state ${params.version}`)
    const sender = {
      account: principal.subject,
      owner: workspace.id,
      nativeSchemes: deps.nativeSchemes,
    }
    const { file: current } = makeExportFile((await readState(db, workspace)).fullWorkspace, mayAdminister)
    const file = restorableFile(await workspaceFileReader.read(sender, source), current, mayAdminister)
    const text = await patchedText(workspace.id, { source, file, isReduced: !mayAdminister })
    return { source: text ?? stringifyFile(file, []) }
  },
} satisfies { [Id in Operations]: Handler<Id> }

/** Throws 403 for callers from whom fields are hidden, as the export does. */
const admit = async (
  deps: ManagementDependencies,
  call: Call<Operations>,
): Promise<{ mayAdminister: boolean }> => {
  const { workspace, principal } = call
  const member = await deps.directory.member(workspace.id, principal.subject)
  if (member && findRights(workspace.definition, member).hidden)
    throw makeRefusal(deps, call, { message: hiddenFieldsMessage, workspace: workspace.slug })
  return { mayAdminister: workspaceAccess(principal, workspace, member, 'administer').allowed }
}

const administratorsParts: readonly string[] = ['members', 'applications', 'systemToSystem', ...reservedParts]

const describeState = (
  { id, at, actor, changes_json }: WorkspaceStateRow,
  names: ReadonlyMap<string, string>,
  mayAdminister: boolean,
): WorkspaceVersion => {
  // Written only by `recordWorkspaceState`.
  const { changes, edits = [] } = JSON.parse(changes_json) as { changes: number; edits?: Change[] }
  const readable = edits.filter(
    ({ path }) => mayAdminister || !administratorsParts.includes(path.split('.', 1)[0] ?? ''),
  )
  return {
    id,
    at: timestamp(at),
    actor: names.get(actor) ?? actor,
    changes: edits.length > 0 ? readable.length : changes,
    edits: readable,
  }
}
