/** Applied states of the workspace file (workspace-file.md, History). */
import { type Static, Type } from '#schema'
import { Timestamp } from './fields.ts'
import { inWorkspace, list, type Operations, Page, WorkspaceParams } from './operation.ts'
import { Change } from './workspaces.ts'

export const historyDays = 90
export const historyStatesMax = 1000

/** An applied state: who made it, when, and what changed. */
export const WorkspaceVersion = Type.Object({
  id: Type.String(),
  at: Timestamp,
  actor: Type.String({
    description: 'E-mail address or client name; the id if the account has been removed',
  }),
  changes: Type.Integer({ description: 'Number of changes; 0: see `textOnly`' }),
  textOnly: Type.Boolean({ description: 'Whether only comments or the layout of the file changed' }),
  edits: Type.Array(Change, {
    description:
      'The changes, with the parts of their values that differ; empty if they are too many. Without the administrators’ parts for others',
  }),
})
export type WorkspaceVersion = Static<typeof WorkspaceVersion>

export const historyOperations = {
  listWorkspaceHistory: {
    id: 'listWorkspaceHistory',
    method: 'GET',
    path: '/workspaces/{workspace}/history',
    permission: 'edit',
    summary: 'List the applied states of the workspace file, newest first',
    params: WorkspaceParams,
    query: Page,
    status: 200,
    reply: list(WorkspaceVersion),
  },
  getWorkspaceVersion: {
    id: 'getWorkspaceVersion',
    method: 'GET',
    path: '/workspaces/{workspace}/history/{version}',
    permission: 'edit',
    summary:
      'Get a file to apply that restores a state, without members, groups and what the caller may not change',
    params: Type.Object({ ...inWorkspace, version: Type.String({ minLength: 1, maxLength: 100 }) }),
    status: 200,
    reply: Type.Object({ source: Type.String() }),
  },
} as const satisfies Operations
