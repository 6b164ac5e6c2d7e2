/** The shape of an operation, and the parameters that several of them share. */
import type { Permission } from '#roles'
import { type TSchema, Type } from '#schema'
import { slugPattern } from './fields.ts'

export interface Operation {
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/manage/v1`, with `{name}` for path parameters. */
  path: string
  permission: Permission
  /**
   * Needs a sign-in to one of the server's own clients of the last five minutes, with a second factor if the person has one. Otherwise 401
   * `sign-in-too-old`, before the body is read. `own-account`: only for operators who act on their own account.
   */
  recentSignIn?: 'always' | 'own-account'
  summary: string
  params?: TSchema
  query?: TSchema
  input?: TSchema
  /** Status and body of success. Without `reply`: 204 without a body. */
  status: 200 | 201 | 204
  reply?: TSchema
  /** Body of 202: the operation is not complete yet. */
  acceptedReply?: TSchema
  /** Body of 200 instead of 204: something else ended with it. */
  noticeReply?: TSchema
  /** Media type of a body that is a stream of bytes, instead of `reply`. */
  media?: string
}

export const inWorkspace = { workspace: Type.String({ pattern: slugPattern }) }

export const WorkspaceParams = Type.Object(inWorkspace)

export const ClientParams = Type.Object({
  ...inWorkspace,
  clientId: Type.String({ minLength: 1, maxLength: 100 }),
})

export const closed = { additionalProperties: false } as const

/** Paging of lists: `after` is the opaque `next` of the previous page, `count` is 1 to 1,000. */
export const Page = Type.Object({
  after: Type.Optional(
    Type.String({
      maxLength: 300,
      // PostgreSQL rejects U+0000.
      pattern: '^[^\\u0000]*$',
      description: '`next` of the previous page, at most 300 characters, without U+0000',
    }),
  ),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
})

/** A page of search results. `subject` says what a search matches; without `search` the list has all items. */
export const SearchedPage = (subject: string) =>
  Type.Object({
    ...Page.properties,
    search: Type.Optional(
      Type.String({
        maxLength: 254,
        pattern: '^[^\\u0000]*$',
        description: `${subject}, ignoring case; at most 254 characters, without U+0000. A page may then have fewer items than \`count\`, or none. Only the last page has no \`next\``,
      }),
    ),
  })

export const list = <T extends TSchema>(item: T) =>
  Type.Object({ items: Type.Array(item), next: Type.Union([Type.String(), Type.Null()]) })

export type Operations = Readonly<Record<string, Operation>>
