/** Readers of a document, and the reasons why others are none (authorization-server.md, Seeing what holds). */
import { Role } from '#roles'
import { type Static, Type } from '#schema'
import { Email } from './fields.ts'
import { inWorkspace, type Operations, Page } from './operation.ts'
import { GroupName } from './rights.ts'

const DocumentParams = Type.Object({
  ...inWorkspace,
  collection: Type.String({ pattern: '^[A-Za-z0-9_-]{1,63}$' }),
})
const documentId = {
  id: Type.String({ minLength: 1, maxLength: 2048, description: 'Id or URI of the document' }),
}

/** The rights that decide which documents a member sees. `unfiltered`: no filter holds. */
export const SightSource = Type.Union([
  Type.Literal('administrator'),
  Type.Literal('own'),
  Type.Literal('group'),
  Type.Literal('memberDefaults'),
  Type.Literal('unfiltered'),
])
export type SightSource = Static<typeof SightSource>

const account = {
  kind: Type.Union([Type.Literal('user'), Type.Literal('system-to-system')]),
  email: Type.Optional(Email),
  clientId: Type.Optional(Type.String()),
  name: Type.String(),
  roles: Type.Array(Role),
}

export const ExplainedMember = Type.Object(account)
export type ExplainedMember = Static<typeof ExplainedMember>

export const DocumentReader = Type.Object({
  ...account,
  through: Type.Array(SightSource, {
    description: 'The sources whose filters the document matches',
  }),
  groups: Type.Array(GroupName, { description: 'The groups whose filters the document matches' }),
  namedAs: Type.Optional(
    Type.String({ description: 'Name of the member, a group or everyone in the readers of the document' }),
  ),
})
export type DocumentReader = Static<typeof DocumentReader>

export const GroupSight = Type.Object({
  group: GroupName,
  title: Type.Optional(Type.String()),
  sees: Type.Boolean({ description: 'Whether somebody in this group only sees the document' }),
  matches: Type.Union([Type.Boolean(), Type.Null()], {
    description: "Whether the document matches the group's filter; null: the group has none",
  }),
  named: Type.Union([Type.Boolean(), Type.Null()], {
    description:
      'Whether the readers of the document include the group or everyone; null: the collection has no readers',
  }),
})
export type GroupSight = Static<typeof GroupSight>

export const DocumentReaders = Type.Object({
  document: Type.String({ description: 'URI' }),
  public: Type.Boolean({ description: 'Whether everybody sees it at a public API' }),
  groups: Type.Array(GroupSight, { description: 'All groups of the workspace; empty after the first page' }),
  items: Type.Array(DocumentReader, {
    description:
      'Members who see it. A page may have fewer than `count`, or none. Only the last page has no `next`',
  }),
  next: Type.Union([Type.String(), Type.Null()]),
})
export type DocumentReaders = Static<typeof DocumentReaders>

/** A part of the decision whether a member sees a document. */
export const SightCheck = Type.Object({
  name: Type.Union([
    Type.Literal('membership-end'),
    Type.Literal('role'),
    Type.Literal('collection'),
    Type.Literal('api'),
    Type.Literal('row-filter'),
    Type.Literal('readers'),
  ]),
  passed: Type.Boolean(),
  message: Type.String(),
})
export type SightCheck = Static<typeof SightCheck>

export const ConditionSight = Type.Object({
  field: Type.String(),
  passed: Type.Boolean(),
  allowed: Type.String({ description: 'The condition as the filter writes it, as JSON' }),
  found: Type.Array(Type.String(), { description: 'The first 20 values of the document' }),
})
export type ConditionSight = Static<typeof ConditionSight>

export const FilterSight = Type.Object({
  source: SightSource,
  group: Type.Optional(GroupName),
  passed: Type.Boolean({ description: 'The document matches all conditions' }),
  conditions: Type.Array(ConditionSight),
})
export type FilterSight = Static<typeof FilterSight>

export const DocumentAccess = Type.Object({
  document: Type.String({ description: 'URI' }),
  member: ExplainedMember,
  sees: Type.Boolean({ description: 'All checks passed, or the document is public' }),
  public: Type.Boolean({ description: 'Whether everybody sees it at a public API' }),
  checks: Type.Array(SightCheck),
  filters: Type.Array(FilterSight, {
    description: 'The filters that hold for the member. One that the document matches is enough',
  }),
  hiddenFields: Type.Array(Type.String(), {
    description: 'Fields of the collection that do not exist for the member',
  }),
})
export type DocumentAccess = Static<typeof DocumentAccess>

export const documentAccessOperations = {
  listDocumentReaders: {
    id: 'listDocumentReaders',
    method: 'GET',
    path: '/workspaces/{workspace}/collections/{collection}/readers',
    permission: 'administer',
    summary: 'List who can read a document: groups, members and System-to-System accounts',
    params: DocumentParams,
    query: Type.Object({ ...documentId, ...Page.properties }),
    status: 200,
    reply: DocumentReaders,
  },
  explainDocumentAccess: {
    id: 'explainDocumentAccess',
    method: 'GET',
    path: '/workspaces/{workspace}/collections/{collection}/access',
    permission: 'administer',
    summary: 'Explain why a member sees a document, or what hides it',
    params: DocumentParams,
    query: Type.Object({
      ...documentId,
      member: Type.String({
        minLength: 1,
        maxLength: 254,
        description: 'Email address, or Client ID of a System-to-System account',
      }),
    }),
    status: 200,
    reply: DocumentAccess,
  },
} as const satisfies Operations
