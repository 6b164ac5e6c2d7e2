/** Collections, their generations, and the APIs of a workspace. */
import { samplePartsMax } from '#file-sample'
import { fieldReading, PlaceAttributes, Proposal } from '#proposal'
import { type Static, Type } from '#schema'
import { Timestamp } from './fields.ts'
import { closed, inWorkspace, type Operations, WorkspaceParams } from './operation.ts'

/** Enough for a few thousand documents. */
export const sampleCharactersMax = 8 * 1024 * 1024
const samplePartCharactersMax = 64 * 1024

/** One complete set of a collection's documents. */
export const Generation = Type.Object({
  id: Type.String({ description: 'Number in the collection, as in status and configurations' }),
  createdAt: Timestamp,
  documents: Type.Union([Type.Integer(), Type.Null()], {
    description: 'null: hidden from a member with a row filter, or never counted',
  }),
  state: Type.Union([Type.Literal('building'), Type.Literal('complete'), Type.Literal('promoted')]),
  promotedAt: Type.Union([Timestamp, Type.Null()], {
    description: 'When it was last promoted; null: never. A rollback promotes the second latest',
  }),
  configurations: Type.Array(Type.String(), { description: 'Names of the configurations that use it' }),
  down: Type.Optional(
    Type.String({ description: 'Why it cannot answer: requests for it get 503. Absent if it can' }),
  ),
})
export type Generation = Static<typeof Generation>

export const ValueForm = Type.Object(
  {
    decimal: fieldReading.decimal,
    formats: fieldReading.formats,
  },
  {
    description:
      'How documents write numbers and dates of the field of an endpoint; absent if in the usual form, or without a field',
  },
)

export const EndpointSummary = Type.Object({
  name: Type.String(),
  kind: Type.String(),
  title: Type.String(),
  attribute: Type.Optional(Type.String({ description: 'The attribute or path of its field, for a sort' })),
  valueForm: Type.Optional(ValueForm),
})
export type EndpointSummary = Static<typeof EndpointSummary>

export const FieldSummary = Type.Object({
  name: Type.String(),
  type: Type.String(),
  title: Type.Optional(Type.String()),
  source: Type.Optional(
    Type.String({ description: 'The attribute or path with its values, if it has another name' }),
  ),
  from: Type.Optional(PlaceAttributes),
  ...fieldReading,
  listSeparator: Type.Optional(Type.String({ description: 'Is between several values of one text' })),
})
export type FieldSummary = Static<typeof FieldSummary>

/** An API of a workspace with its endpoints. The query service's description of the API has the parameters. */
export const FieldForm = Type.Object({
  formats: Type.Optional(Type.Array(Type.String(), { description: 'Of dates, besides those of RFC 3339' })),
  listSeparator: Type.Optional(Type.String({ description: 'Is between several values of one text' })),
})

export const ApiSummary = Type.Object({
  api: Type.String(),
  title: Type.String(),
  access: Type.Union([Type.Literal('members'), Type.Literal('public')]),
  endpoints: Type.Array(EndpointSummary),
  fieldTitles: Type.Record(Type.String(), Type.String(), {
    description:
      'Titles of the fields of the collections that its endpoints name, by field; fields without a title are absent',
  }),
  places: Type.Array(FieldSummary, { description: 'The fields of type geo of these collections' }),
  fieldForms: Type.Record(Type.String(), FieldForm, {
    description:
      'How documents write dates and lists, by attribute or path; attributes with values in the usual form are absent',
  }),
})
export type ApiSummary = Static<typeof ApiSummary>

export const CollectionSummary = Type.Object({
  collection: Type.String(),
  title: Type.String({ description: 'Its title, or the words of its name' }),
  documents: Type.Union([Type.Integer(), Type.Null()], {
    description:
      'Documents in the promoted generation; null: hidden from a member with a row filter, not counted yet, or no generation',
  }),
  down: Type.Optional(
    Type.String({
      description:
        'Why it cannot answer: requests for it get 503. Absent if it can, or for members who get no count',
    }),
  ),
  idField: Type.String({ description: 'Field that holds the id of a document' }),
  generatedId: Type.Optional(
    Type.Union([Type.Literal('hash'), Type.Literal('row')], {
      description: 'How the server makes the ids; absent if documents have them',
    }),
  ),
  fields: Type.Array(FieldSummary),
})
export type CollectionSummary = Static<typeof CollectionSummary>

const CollectionParams = Type.Object({
  ...inWorkspace,
  collection: Type.String({ pattern: '^[A-Za-z0-9_-]{1,63}$' }),
})

export const collectionOperations = {
  listApis: {
    id: 'listApis',
    method: 'GET',
    path: '/workspaces/{workspace}/apis',
    permission: 'look',
    summary: 'List APIs and their endpoints',
    params: WorkspaceParams,
    status: 200,
    reply: Type.Object({ items: Type.Array(ApiSummary) }),
  },
  listCollections: {
    id: 'listCollections',
    method: 'GET',
    path: '/workspaces/{workspace}/collections',
    permission: 'import',
    summary:
      'List collections and their fields; members who can only import do not get the number of documents',
    params: WorkspaceParams,
    status: 200,
    reply: Type.Object({ items: Type.Array(CollectionSummary) }),
  },
  proposeCollection: {
    id: 'proposeCollection',
    method: 'POST',
    path: '/workspaces/{workspace}/proposals',
    permission: 'edit',
    summary:
      'Propose a collection, its fields and its first search from a sample of a file of documents; changes nothing',
    params: WorkspaceParams,
    input: Type.Object(
      {
        name: Type.String({
          minLength: 1,
          maxLength: 200,
          description: 'Name of the file without its ending; the collection gets a name like it',
        }),
        format: Type.Union([Type.Literal('ndjson'), Type.Literal('json'), Type.Literal('csv')]),
        text: Type.String({
          minLength: 1,
          maxLength: sampleCharactersMax,
          description: 'The whole file, or its beginning',
        }),
        isCut: Type.Boolean({ description: 'Whether more of the file follows' }),
        rows: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 1000,
            description:
              'Path of the list inside a JSON object that has the documents; by default the longest',
          }),
        ),
        parts: Type.Optional(
          Type.Array(Type.String({ minLength: 1, maxLength: samplePartCharactersMax }), {
            maxItems: samplePartsMax,
            description:
              'Parts from later in the file up to its end, which do not overlap; each may begin and end within a record',
          }),
        ),
      },
      closed,
    ),
    status: 200,
    reply: Proposal,
  },
  listGenerations: {
    id: 'listGenerations',
    method: 'GET',
    path: '/workspaces/{workspace}/collections/{collection}/generations',
    permission: 'edit',
    summary: 'List the generations of a collection, newest first',
    params: CollectionParams,
    status: 200,
    reply: Type.Object({ items: Type.Array(Generation) }),
  },
  promoteGeneration: {
    id: 'promoteGeneration',
    method: 'POST',
    path: '/workspaces/{workspace}/collections/{collection}/generations/promote',
    permission: 'edit',
    summary: 'Promote a complete generation; without an id the newest',
    params: CollectionParams,
    input: Type.Object({ generation: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })) }, closed),
    status: 200,
    reply: Generation,
  },
  rollBackGeneration: {
    id: 'rollBackGeneration',
    method: 'POST',
    path: '/workspaces/{workspace}/collections/{collection}/generations/rollback',
    permission: 'edit',
    summary: 'Roll back to the generation that was promoted before the current one',
    params: CollectionParams,
    status: 200,
    reply: Generation,
  },
} as const satisfies Operations
