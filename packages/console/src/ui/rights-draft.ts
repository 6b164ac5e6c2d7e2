/** The rights of a membership as a form edits them, besides roles and row filter (authorization-server.md, Limits of an account). */
import type { Attributes, GroupGrant, MembershipRights, QueryLimits } from '@querent/contract/manage'
import { groupName } from '@querent/contract/normalize-rights'

/** The names that a source opens; undefined: it says nothing. */
export type OpenNames = 'all' | string[] | undefined

export interface GrantDraft {
  group: string
  /** Empty: it does not end. */
  until: string
}

export interface AttributeDraft {
  /** React key, only used in the form. */
  key: number
  name: string
  values: string[]
}

export interface LimitsDraft {
  perMinute: number | undefined
  atOnce: number | undefined
}

export interface RightsDraft {
  groups: GrantDraft[]
  attributes: AttributeDraft[]
  apis: OpenNames
  collections: OpenNames
  limits: LimitsDraft
  /** Empty: the membership does not end. */
  until: string
}

/** The rights of the draft that open APIs and collections. */
export const readAccess = ({ groups, apis, collections }: RightsDraft) => ({
  groups: groups.map(({ group, until }): GroupGrant => (until === '' ? group : { group, until })),
  ...(apis === undefined ? {} : { apis }),
  ...(collections === undefined ? {} : { collections }),
})

let keys = 0
export const emptyAttribute = (): AttributeDraft => ({ key: keys++, name: '', values: [] })

export const toLimitsDraft = (limits: QueryLimits | undefined): LimitsDraft => ({
  perMinute: limits?.perMinute,
  atOnce: limits?.atOnce,
})

/** Returns undefined without a limit. */
export const toLimits = ({ perMinute, atOnce }: LimitsDraft): QueryLimits | undefined =>
  perMinute === undefined && atOnce === undefined
    ? undefined
    : { ...(perMinute === undefined ? {} : { perMinute }), ...(atOnce === undefined ? {} : { atOnce }) }

/** Whether each limit is a whole number from 1, or absent. */
export const areLimits = ({ perMinute, atOnce }: LimitsDraft): boolean =>
  [perMinute, atOnce].every(limit => limit === undefined || (Number.isInteger(limit) && limit >= 1))

export const toRightsDraft = (rights: MembershipRights): RightsDraft => ({
  groups: (rights.groups ?? []).map(grant => ({
    group: groupName(grant),
    until: typeof grant === 'string' ? '' : grant.until,
  })),
  attributes: Object.entries(rights.attributes ?? {}).map(([name, values]) => ({
    ...emptyAttribute(),
    name,
    values: [values].flat().map(String),
  })),
  apis: rights.apis,
  collections: rights.collections,
  limits: toLimitsDraft(rights.limits),
  until: rights.until ?? '',
})

/** A right that is removed is null. */
export type RightsChange = { [Key in keyof MembershipRights]?: MembershipRights[Key] | null }

/** The rights of somebody new. */
export const noRights: MembershipRights = {}

/** Returns the rights of somebody new, who has none to remove. */
export const withoutNull = (change: RightsChange): MembershipRights =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== null))

/** Returns the rights that differ from those of before. Values of attributes that did not change keep their type. */
export const changedRights = (before: MembershipRights, draft: RightsDraft): RightsChange => {
  const untouched = toRightsDraft(before)
  const change: RightsChange = {}
  if (isChanged(untouched.groups, draft.groups)) change.groups = nullIfEmpty(draft.groups.map(toGrant))
  if (isChanged(untouched.attributes.map(withoutKey), draft.attributes.map(withoutKey))) {
    const attributes = toAttributes(before.attributes ?? {}, draft.attributes)
    change.attributes = Object.keys(attributes).length > 0 ? attributes : null
  }
  for (const key of ['apis', 'collections'] as const)
    if (isChanged(before[key], draft[key])) change[key] = draft[key] ?? null
  if (isChanged(untouched.limits, draft.limits)) change.limits = toLimits(draft.limits) ?? null
  if (untouched.until !== draft.until) change.until = draft.until || null
  return change
}

const toGrant = ({ group, until }: GrantDraft): GroupGrant => (until === '' ? group : { group, until })

const withoutKey = ({ name, values }: AttributeDraft) => ({ name, values })

const toAttributes = (before: Attributes, drafts: readonly AttributeDraft[]): Attributes =>
  Object.fromEntries(
    drafts
      .filter(({ name, values }) => name.trim() !== '' || values.length > 0)
      .map(({ name, values }) => {
        const stored = [Object.hasOwn(before, name) ? (before[name] ?? []) : []].flat()
        return [name.trim(), values.map(value => stored.find(one => String(one) === value) ?? value)]
      }),
  )

const isChanged = (before: unknown, after: unknown): boolean =>
  JSON.stringify(before) !== JSON.stringify(after)

const nullIfEmpty = <Item>(items: Item[]): Item[] | null => (items.length > 0 ? items : null)
