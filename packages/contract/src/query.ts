/** Replies of the query service (query-service.md, Replies) and of the documents address (workspace-file.md, Documents). */
import { ErrorGroup, ErrorPlace } from './errors.ts'
import { type Static, Type } from './schema.ts'

export const Entity = Type.Object({
  id: Type.String({ description: 'URI' }),
  class: Type.Array(Type.String()),
  attributes: Type.Record(Type.String(), Type.Unknown()),
})
export type Entity = Static<typeof Entity>

/** With `highlight`: attribute → HTML snippets, with matches in `<mark>`. */
export const Highlights = Type.Record(Type.String(), Type.Array(Type.String()))
export type Highlights = Static<typeof Highlights>

const PartRanks = Type.Record(Type.String(), Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]), {
  description:
    'With `parts`, for a mix: the rank in each part that finds the document, by endpoint; null after the first 1,000',
})

const collapsedMembers = {
  value: Type.Union([Type.String(), Type.Number(), Type.Null()], { description: 'null without a value' }),
  count: Type.Integer({ description: 'Number of documents of the whole result with the value' }),
}
const collapsedText = 'With `collapse`: what the item stands for, and further documents of its value'
const Collapsed = Type.Object(
  { ...collapsedMembers, others: Type.Array(Entity) },
  { description: collapsedText },
)

export const ResultItem = Type.Object({
  rank: Type.Integer({ minimum: 1, description: 'Over the whole result, from 1' }),
  probability: Type.Number({ description: 'Score over the best score of the result, in (0,1]' }),
  tuple: Type.Array(Entity),
  highlights: Type.Optional(Highlights),
  parts: Type.Optional(PartRanks),
  collapsed: Type.Optional(Collapsed),
})
export type ResultItem = Static<typeof ResultItem>

const NextCursor = Type.Union([Type.String(), Type.Null()], {
  description: 'With `cursor`: the cursor of the next page, null after the last page',
})

const RelaxedWords = Type.Array(Type.String(), {
  description: 'With `matching: relaxed`: the words of the query that the results need not contain',
})

const MeantText = Type.Union([Type.String(), Type.Null()], {
  description: 'If a text finds nothing: the closest text that finds something, or null',
})

const Degraded = Type.Array(Type.String(), {
  description: 'Endpoints of a mix that did not take part, because their embedder failed',
})

export const Results = Type.Object({
  offset: Type.Integer(),
  count: Type.Integer(),
  type: Type.Array(Type.String()),
  items: Type.Array(ResultItem),
  next: Type.Optional(NextCursor),
  relaxed: Type.Optional(RelaxedWords),
  didYouMean: Type.Optional(MeantText),
  degraded: Type.Optional(Degraded),
})
export type Results = Static<typeof Results>

/** An entity with its attributes at the top level. */
export const PlainEntity = Type.Object(
  { id: Type.String({ description: 'URI' }), class: Type.Array(Type.String()) },
  { additionalProperties: true },
)
export type PlainEntity = Static<typeof PlainEntity> & Record<string, unknown>

export const ResultPage = Type.Object({
  offset: Type.Integer(),
  count: Type.Integer(),
  type: Type.Array(Type.String()),
  items: Type.Array(
    Type.Object({
      rank: Type.Integer({ minimum: 1 }),
      probability: Type.Number(),
      tuple: Type.Array(PlainEntity),
      highlights: Type.Optional(Highlights),
      parts: Type.Optional(PartRanks),
      collapsed: Type.Optional(
        Type.Object({ ...collapsedMembers, others: Type.Array(PlainEntity) }, { description: collapsedText }),
      ),
    }),
  ),
  next: Type.Optional(NextCursor),
  relaxed: Type.Optional(RelaxedWords),
  didYouMean: Type.Optional(MeantText),
  degraded: Type.Optional(Degraded),
})
export interface ResultPage extends Omit<Results, 'items'> {
  items: (Omit<ResultItem, 'tuple' | 'collapsed'> & {
    tuple: PlainEntity[]
    collapsed?: Omit<NonNullable<ResultItem['collapsed']>, 'others'> & { others: PlainEntity[] }
  })[]
}

export const Count = Type.Object({ total: Type.Integer(), degraded: Type.Optional(Degraded) })
export type Count = Static<typeof Count>

export const Statistics = Type.Object({
  total: Type.Integer(),
  stats: Type.Array(Type.Object({ cutoff: Type.String(), numResults: Type.Integer() })),
  degraded: Type.Optional(Degraded),
})
export type Statistics = Static<typeof Statistics>

export const Option = Type.Object({
  id: Type.String(),
  score: Type.Number({ description: 'count over the number of results' }),
  value: Type.String(),
  title: Type.String(),
  count: Type.Integer(),
  options: Type.Optional(
    Type.Integer({ description: 'In a list of facets: the number of different values' }),
  ),
})
export type Option = Static<typeof Option>

export const Options = Type.Object({
  id: Type.String(),
  title: Type.String(),
  selected: Type.Array(Option),
  options: Type.Array(Option),
  degraded: Type.Optional(Degraded),
})
export type Options = Static<typeof Options>

export const ApiDescription = Type.Object({
  workspace: Type.String(),
  api: Type.String(),
  title: Type.String(),
  access: Type.String(),
  configurations: Type.Array(Type.String()),
  endpoints: Type.Array(
    Type.Object({
      name: Type.String(),
      kind: Type.String(),
      title: Type.String(),
      parameters: Type.Array(
        Type.Object({
          name: Type.String(),
          type: Type.String(),
          required: Type.Boolean(),
          among: Type.Optional(Type.Array(Type.String(), { description: 'The only values' })),
        }),
      ),
    }),
  ),
})
export type ApiDescription = Static<typeof ApiDescription>

export const Status = Type.Object({
  status: Type.Union([Type.Literal('ok'), Type.Literal('rebuilding')]),
  config: Type.String(),
  generations: Type.Record(Type.String(), Type.String()),
  rebuilding: Type.Optional(
    Type.Record(Type.String(), Type.Object({ done: Type.Integer(), total: Type.Integer() }), {
      description:
        'Collections whose search index is being rebuilt, with the number of documents; their queries get 503 until it is done',
    }),
  ),
  disk: Type.Optional(
    Type.Literal('full', {
      description:
        'The disk with the storage is full: queries are answered, changes get 503; absent otherwise',
    }),
  ),
  missingVectors: Type.Optional(
    Type.Record(Type.String(), Type.Integer(), {
      description:
        'Collections whose vectors the server makes, with the number of documents that wait for theirs; absent for callers with a row filter',
    }),
  ),
})
export type Status = Static<typeof Status>

/** Body of a batch. Each request is what would follow `…/api/{api}/` in a GET. */
export const BatchRequest = Type.Object({
  requests: Type.Array(Type.String({ description: 'e/search/p/query/x/results?count=10' }), {
    minItems: 1,
    maxItems: 20,
  }),
})
export type BatchRequest = Static<typeof BatchRequest>

/** Reply of a batch, in the order of its requests. `body` is the reply of the query, or an error. */
export const BatchReply = Type.Object({
  responses: Type.Array(
    Type.Object({ status: Type.Integer({ description: 'HTTP status' }), body: Type.Unknown() }),
  ),
})
export type BatchReply = Static<typeof BatchReply>

const Encoding = Type.String({
  description: 'Encoding of a CSV file that is not UTF-8, as the server detected it or as you stated it',
  enum: ['windows-1252', 'utf-16le', 'utf-16be'],
})

/** Reply of an import. `errors` has the first 100 errors. */
export const ImportReply = Type.Object({
  accepted: Type.Integer({ description: 'Documents that were read and written: `documents` and `replaced`' }),
  documents: Type.Integer({ description: 'Different documents that were written' }),
  replaced: Type.Integer({
    description: 'Documents that a later one of the same import replaced, because both have the same id',
  }),
  replacedIds: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'The first ids that several documents of the import have, at most 5; absent if there are none',
    }),
  ),
  rejected: Type.Integer(),
  errors: Type.Array(ErrorPlace),
  reasons: Type.Optional(
    Type.Array(ErrorGroup, {
      description:
        'All rejected documents by reason, if there are more than `errors` has; at most 100 reasons',
    }),
  ),
  rejectedAt: Type.Optional(
    Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }), {
      description:
        'Where all rejected documents are, if there are more than `errors` has: ranges of lines, or of positions in a JSON list, both ends included; at most 10,000 ranges',
    }),
  ),
  encoding: Type.Optional(Encoding),
  emptyFields: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Declared fields without a value in any document of the collection, if there are any',
    }),
  ),
})
export type ImportReply = Static<typeof ImportReply>

/** Reply of an import with `update=true`. `errors` has the first 100 errors. */
export const UpdateReply = Type.Object({
  accepted: Type.Integer({
    description: 'Changes that were made: `updated`, and with `create=true` new documents',
  }),
  updated: Type.Integer({ description: 'Changes of documents that existed' }),
  rejected: Type.Integer(),
  errors: Type.Array(ErrorPlace),
  reasons: Type.Optional(
    Type.Array(ErrorGroup, {
      description:
        'All rejected documents by reason, if there are more than `errors` has; at most 100 reasons',
    }),
  ),
  rejectedAt: Type.Optional(
    Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }), {
      description:
        'Where all rejected documents are, if there are more than `errors` has: ranges of lines, or of positions in a JSON list, both ends included; at most 10,000 ranges',
    }),
  ),
  encoding: Type.Optional(Encoding),
})
export type UpdateReply = Static<typeof UpdateReply>

/** Progress of an import with a name: `?import=NAME`. */
export const ImportProgress = Type.Object({
  state: Type.Union(
    [Type.Literal('unknown'), Type.Literal('running'), Type.Literal('complete'), Type.Literal('broken')],
    {
      description: 'unknown: no import has this name, or it ended long ago; broken: it ended with an error',
    },
  ),
  bytes: Type.Integer({ description: 'Bytes of the body read so far' }),
  documents: Type.Integer({
    description:
      'Documents written so far; once broken: documents kept, which is 0 if the import was strict or replaced the collection',
  }),
})
export type ImportProgress = Static<typeof ImportProgress>
