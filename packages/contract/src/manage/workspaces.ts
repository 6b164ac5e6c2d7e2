/** Workspaces, their files and their settings. */
import { ErrorPlace } from '#errors'
import { Role } from '#roles'
import { type Static, Type } from '#schema'
import { workspaceLimits } from '#workspace-limits'
import { Timestamp, Url } from './fields.ts'
import { NewInvitation, WithdrawnAccess } from './invitations.ts'
import { closed, list, type Operations, Page, WorkspaceParams } from './operation.ts'

export const Workspace = Type.Object({
  workspace: Type.String(),
  title: Type.String(),
  description: Type.String({ description: 'What the workspace is for; empty: none' }),
  roles: Type.Array(Role, { description: 'Roles of the caller; empty for an operator who is not a member' }),
  createdAt: Timestamp,
})
export type Workspace = Static<typeof Workspace>

/** One difference between the workspace and its file. */
export const Change = Type.Object({
  change: Type.Union([Type.Literal('add'), Type.Literal('change'), Type.Literal('remove')]),
  path: Type.String({
    description: 'Place in the workspace file, with dots: apis.dictionary.endpoints.search',
  }),
  before: Type.Optional(Type.Unknown()),
  after: Type.Optional(Type.Unknown()),
})
export type Change = Static<typeof Change>

export const ApplyReply = Type.Object({
  workspace: Type.String(),
  created: Type.Boolean(),
  dryRun: Type.Boolean(),
  changes: Type.Array(Change),
  textChanged: Type.Boolean({
    description:
      'Whether the stored text of the file changes; without `changes`, only its comments or layout do',
  }),
  invitations: Type.Array(NewInvitation, {
    description: 'Invitations of people in `members` whose address is not confirmed; empty in a dry run',
  }),
  withdrawn: Type.Optional(WithdrawnAccess),
  warnings: Type.Array(ErrorPlace, {
    description: 'Features that this version does not support yet, and effects on documents',
  }),
  rebuilds: Type.Array(Type.String(), {
    description:
      'Collections whose documents are indexed again, in a new generation, because of their fields or the endpoints that complete words',
  }),
  plan: Type.String({
    description: 'Stands for exactly these changes: give it to the next call to apply nothing else',
  }),
})
export type ApplyReply = Static<typeof ApplyReply>

export const QueryLogParameters = Type.Union(
  [Type.Literal('off'), Type.Literal('hashed'), Type.Literal('full')],
  { description: 'What is stored of the texts of searches; a stricter value deletes at once' },
)

export const QueryLogSettings = Type.Object(
  {
    parameters: QueryLogParameters,
    keep: Type.String({ pattern: '^[0-9]+d$', description: 'From 1d to 3650d' }),
  },
  closed,
)

/** Settings of a workspace that the console can change. The workspace file has all settings. */
const settings = {
  title: Type.String({ minLength: 1, maxLength: 200, description: 'Name of the workspace for people' }),
  description: Type.String({
    maxLength: workspaceLimits.descriptionCharacters,
    description: 'What the workspace is for; empty: none',
  }),
  accessTokenLifetime: Type.String({ pattern: '^[0-9]+[smh]$', description: 'From 1m to 24h' }),
  origins: Type.Array(Url, { maxItems: 100, description: 'Additional origins whose pages may query (CORS)' }),
  allowMetadataClients: Type.Boolean({
    description:
      'Whether unregistered applications may open this workspace: those with a Client ID Metadata Document. Each person consents',
  }),
  skipInvalidRedirectUris: Type.Boolean({
    description:
      'Whether an application may register itself with redirect URIs that are not allowed, if others are; they are left out',
  }),
  requireSecondFactor: Type.Boolean({
    description: 'Whether members sign in with a second factor; tokens of other sessions are rejected',
  }),
  keepGenerations: Type.Integer({
    minimum: 0,
    maximum: 100,
    description: 'Generations to keep for each collection, in addition to the live one and the one before it',
  }),
  queryLog: QueryLogSettings,
}

export const WorkspaceSettings = Type.Object(settings)
export type WorkspaceSettings = Static<typeof WorkspaceSettings>

/** The settings, and what a change of them would mean. */
export const WorkspaceSettingsReply = Type.Object({
  ...settings,
  membersWithoutSecondFactor: Type.Integer({
    minimum: 0,
    description: 'People among the members who have neither an authenticator app nor a passkey',
  }),
})
export type WorkspaceSettingsReply = Static<typeof WorkspaceSettingsReply>

export const workspaceOperations = {
  listWorkspaces: {
    id: 'listWorkspaces',
    method: 'GET',
    path: '/workspaces',
    permission: 'account',
    summary: 'List your workspaces; operators: all workspaces',
    query: Page,
    status: 200,
    reply: list(Workspace),
  },
  applyWorkspaceFile: {
    id: 'applyWorkspaceFile',
    method: 'POST',
    path: '/apply',
    permission: 'account',
    summary: 'Apply a workspace file: create the workspace or update it to match',
    input: Type.Object(
      {
        // The reader reports empty and too long files with line and column, like all other errors.
        source: Type.String({
          contentMediaType: 'application/yaml',
          description: 'The file, YAML or JSON, at most 1 MiB',
        }),
        dryRun: Type.Optional(Type.Boolean()),
        plan: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 100,
            description: 'Of a dry run of the same file: 409 if the file would now change something else',
          }),
        ),
        base: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 100,
            description:
              '`tag` of the exported file that you edited: 409 if somebody has changed the workspace since',
          }),
        ),
        onlyNew: Type.Optional(Type.Boolean({ description: 'true: 409 if a workspace of this name exists' })),
      },
      closed,
    ),
    status: 200,
    reply: ApplyReply,
  },
  removeWorkspace: {
    id: 'removeWorkspace',
    method: 'DELETE',
    path: '/workspaces/{workspace}',
    permission: 'administer',
    summary:
      'Delete a workspace with its documents, members, accounts and applications; takes effect immediately',
    params: WorkspaceParams,
    status: 204,
  },
  exportWorkspaceFile: {
    id: 'exportWorkspaceFile',
    method: 'GET',
    path: '/workspaces/{workspace}/file',
    permission: 'edit',
    summary: 'Export the workspace as a workspace file',
    params: WorkspaceParams,
    status: 200,
    reply: Type.Object({
      source: Type.String(),
      tag: Type.String({
        description: 'Stands for this state: send it as `base` when you apply the edited file',
      }),
    }),
  },
  getSettings: {
    id: 'getSettings',
    method: 'GET',
    path: '/workspaces/{workspace}/settings',
    permission: 'administer',
    summary: 'Get the settings of a workspace',
    params: WorkspaceParams,
    status: 200,
    reply: WorkspaceSettingsReply,
  },
  updateSettings: {
    id: 'updateSettings',
    method: 'PATCH',
    path: '/workspaces/{workspace}/settings',
    permission: 'administer',
    summary: 'Update settings of a workspace; takes effect with the next token and the next request',
    params: WorkspaceParams,
    input: Type.Object(
      {
        title: Type.Optional(settings.title),
        description: Type.Optional(settings.description),
        accessTokenLifetime: Type.Optional(settings.accessTokenLifetime),
        origins: Type.Optional(settings.origins),
        allowMetadataClients: Type.Optional(settings.allowMetadataClients),
        skipInvalidRedirectUris: Type.Optional(settings.skipInvalidRedirectUris),
        requireSecondFactor: Type.Optional(settings.requireSecondFactor),
        keepGenerations: Type.Optional(settings.keepGenerations),
        queryLog: Type.Optional(settings.queryLog),
      },
      closed,
    ),
    status: 200,
    reply: WorkspaceSettings,
  },
} as const satisfies Operations
