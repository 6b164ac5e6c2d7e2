/** Rights of memberships, groups and the defaults of a workspace (authorization-server.md, Limits of an account and Row filters). */
import { type Static, type TSchema, Type } from '#schema'
import { namePattern } from '#workspace-names'
import { slugPattern } from './fields.ts'
import { attributeNamePattern, RowFilter, RowFilterScalar } from './row-filter.ts'

const closed = { additionalProperties: false } as const

export const groupsMax = 1000
export const groupsPerMemberMax = 200
export const attributesMax = 20
export const attributeValuesMax = 1000

export const GroupName = Type.String({ pattern: slugPattern })

/** A date, which includes that day in UTC, or a time (RFC 3339). */
export const End = Type.String({ minLength: 1, maxLength: 40 })

/** A group of a membership, which may end. */
export const EndingGroup = Type.Object({ group: GroupName, until: End }, closed)
export const GroupGrant = Type.Union([GroupName, EndingGroup])
export type GroupGrant = Static<typeof GroupGrant>
const GroupGrants = Type.Array(GroupGrant, { maxItems: groupsPerMemberMax })

export const Attributes = Type.Record(
  Type.String({ pattern: attributeNamePattern }),
  Type.Union([
    Type.String(),
    Type.Number(),
    Type.Boolean(),
    Type.Array(RowFilterScalar, { maxItems: attributeValuesMax }),
  ]),
  {
    ...closed,
    maxProperties: attributesMax,
    description: 'Attribute → value or values, for `{ member }` in row filters',
  },
)
export type Attributes = Static<typeof Attributes>

/** The APIs or collections that a source opens. */
export const OpenNames = Type.Union([
  Type.Literal('all'),
  Type.Array(Type.String({ pattern: namePattern }), { maxItems: 200, uniqueItems: true }),
])
const access = { apis: Type.Optional(OpenNames), collections: Type.Optional(OpenNames) }

/** APIs and collections that a source opens. A source without a key says nothing. */
export interface Access {
  apis?: 'all' | string[]
  collections?: 'all' | string[]
}
export type AccessKey = keyof Access

export const claimValuesMax = 10_000

/** Limits of queries that are lower than the server's. */
export const QueryLimits = Type.Object(
  {
    perMinute: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
    atOnce: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  },
  { ...closed, minProperties: 1 },
)
export type QueryLimits = Static<typeof QueryLimits>

/** The rights of a membership besides roles and row filter. */
export const membershipRights = {
  groups: Type.Optional(GroupGrants),
  attributes: Type.Optional(Attributes),
  ...access,
  limits: Type.Optional(QueryLimits),
  until: Type.Optional(End),
}
const orNull = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

/** The same in requests of the management API: an omitted one stays, null removes it. */
export const changedRights = {
  groups: orNull(GroupGrants),
  attributes: orNull(Attributes),
  apis: orNull(OpenNames),
  collections: orNull(OpenNames),
  limits: orNull(QueryLimits),
  until: orNull(End),
}

export interface MembershipRights extends Access {
  groups?: GroupGrant[]
  attributes?: Attributes
  limits?: QueryLimits
  until?: string
}

/** Rights that another source than the workspace gave a membership. */
export const GivenRights = Type.Object({
  groups: Type.Array(GroupName),
  attributes: Type.Record(Type.String(), Type.Array(RowFilterScalar)),
})
export type GivenRights = Static<typeof GivenRights>

/** Rights by the issuer of the provider that gave them. */
export const givenBySource = Type.Optional(
  Type.Record(Type.String(), GivenRights, {
    description: 'Groups and attributes by the provider that gave them',
  }),
)

export const Group = Type.Object(
  {
    title: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    filter: Type.Optional(RowFilter),
    ...access,
    limits: Type.Optional(QueryLimits),
  },
  closed,
)
export type Group = Static<typeof Group>

export const MemberDefaults = Type.Object({ filter: Type.Optional(RowFilter), ...access }, closed)
export type MemberDefaults = Static<typeof MemberDefaults>
