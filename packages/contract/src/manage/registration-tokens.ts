/** Initial access tokens, with which applications register themselves (RFC 7591). */
import { type Static, Type } from '#schema'
import { Name, Timestamp } from './fields.ts'
import { closed, inWorkspace, list, type Operations, Page, WorkspaceParams } from './operation.ts'

export const RegistrationToken = Type.Object({
  id: Type.String(),
  name: Type.String(),
  uses: Type.Integer({ description: 'How many applications it registered' }),
  usesMax: Type.Integer(),
  expiresAt: Timestamp,
  createdAt: Timestamp,
})
export type RegistrationToken = Static<typeof RegistrationToken>

export const registrationTokenOperations = {
  createRegistrationToken: {
    id: 'createRegistrationToken',
    method: 'POST',
    path: '/workspaces/{workspace}/registration-tokens',
    permission: 'administer',
    summary: 'Create an initial access token for dynamic client registration',
    params: WorkspaceParams,
    input: Type.Object(
      {
        name: Name,
        uses: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 10_000,
            default: 1,
            description: 'Applications it may register',
          }),
        ),
        days: Type.Optional(Type.Integer({ minimum: 1, maximum: 365, default: 7, description: 'Lifetime' })),
      },
      closed,
    ),
    status: 201,
    reply: Type.Object({
      ...RegistrationToken.properties,
      token: Type.String({ description: 'Only shown once' }),
    }),
  },
  listRegistrationTokens: {
    id: 'listRegistrationTokens',
    method: 'GET',
    path: '/workspaces/{workspace}/registration-tokens',
    permission: 'administer',
    summary: 'List initial access tokens, also expired ones',
    params: WorkspaceParams,
    query: Page,
    status: 200,
    reply: list(RegistrationToken),
  },
  removeRegistrationToken: {
    id: 'removeRegistrationToken',
    method: 'DELETE',
    path: '/workspaces/{workspace}/registration-tokens/{tokenId}',
    permission: 'administer',
    summary: 'Delete an initial access token; its applications stay',
    params: Type.Object({ ...inWorkspace, tokenId: Type.String({ minLength: 1, maxLength: 100 }) }),
    status: 204,
  },
} as const satisfies Operations
