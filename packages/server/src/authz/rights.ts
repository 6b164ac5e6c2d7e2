/**
 * The rights of a member at this moment: the one place that combines the membership, its groups and the defaults of the workspace
 * (authorization-server.md, Row filters). Fails closed.
 */
import type { Access, AccessKey, GivenRights, QueryLimits, RowFilter } from '@querent/contract/manage'
import { readMembershipEnd } from '@querent/contract/membership-end'
import { groupName } from '@querent/contract/normalize-rights'
import type { Definition } from '@querent/contract/workspace-file'
import { LRUCache } from 'lru-cache'
import type { MemberRow } from '#storage/members'
import { type EffectiveFilter, fillAttributes, uniteAttributes, uniteFilters } from './effective-filter.ts'
import { findHiddenFields, type HiddenFields } from './hidden-fields.ts'

/** Rights of a caller in one workspace. */
export interface Rights {
  /** Names of the groups that the member has at this moment, sorted. */
  readonly groups: readonly string[]
  /** The documents that the member sees. Undefined: all of them. */
  readonly filter: EffectiveFilter | undefined
  /** Whether `readers` of collections hold for the member. See `readers.ts`. */
  readonly mustBeNamed: boolean
  /** The fields that do not exist for the member. Undefined: all exist. */
  readonly hidden: HiddenFields | undefined
  /** Names of the APIs that the member may query. Undefined: all of them. */
  readonly apis: ReadonlySet<string> | undefined
  /** Names of the collections that the member may query and write. Undefined: all of them. */
  readonly collections: ReadonlySet<string> | undefined
  /** Limits of queries below those of the server. */
  readonly limits: QueryLimits | undefined
  /** Whether nothing but a row filter of their own limits them. */
  readonly isAdministrator: boolean
  /** When the rights change by themselves, because a group or the membership ends: milliseconds since 1970. */
  readonly changesAt: number
}

/** The rights of an operator who is no member, and manages the workspace. */
export const unlimitedRights: Rights = {
  groups: [],
  filter: undefined,
  mustBeNamed: false,
  hidden: undefined,
  apis: undefined,
  collections: undefined,
  limits: undefined,
  isAdministrator: true,
  changesAt: Number.POSITIVE_INFINITY,
}

type RightsHolder = Pick<MemberRow, 'roles' | 'filter' | 'rights'> &
  Partial<Pick<MemberRow, 'endsAt' | 'given'>>

/** Whether the membership has ended. */
export const hasEnded = (
  { endsAt = null }: Partial<Pick<MemberRow, 'endsAt'>>,
  nowMs = Date.now(),
): boolean => endsAt !== null && endsAt <= nowMs

interface DefinitionCache {
  rights: WeakMap<RightsHolder, Rights>
  /** Members with the same filter share one value, so that they share cached plans. */
  filters: LRUCache<string, EffectiveFilter>
}

/** Freed with the version of the definition, or of the membership. */
const caches = new WeakMap<Definition, DefinitionCache>()
/** Different filters of one version of a definition. */
const sharedFiltersMax = 1000

/** Returns the rights of a member now. Cached rows give the same value until something changes. */
export const findRights = (definition: Definition, member: RightsHolder, nowMs = Date.now()): Rights => {
  const cache = caches.get(definition) ?? createCache()
  caches.set(definition, cache)
  const cached = cache.rights.get(member)
  if (cached && nowMs < cached.changesAt) return cached
  const rights = combineRights(definition, member, nowMs)
  const shared = { ...rights, filter: rights.filter && shareFilter(cache, rights.filter) }
  cache.rights.set(member, shared)
  return shared
}

const createCache = (): DefinitionCache => ({
  rights: new WeakMap(),
  filters: new LRUCache({ max: sharedFiltersMax }),
})

const shareFilter = ({ filters }: DefinitionCache, filter: EffectiveFilter): EffectiveFilter => {
  const key = JSON.stringify(filter.alternatives)
  const shared = filters.get(key) ?? filter
  filters.set(key, shared)
  return shared
}

/** Combines without caches. */
export const combineRights = (definition: Definition, member: RightsHolder, nowMs: number): Rights => {
  const { rights = {} } = member
  const { isAdministrator, names, changesAt, attributes, filters } = readSources(definition, member, nowMs)
  const sources = [rights, ...names.map(name => definition.groups?.[name] ?? {})]
  const findOpened = (key: AccessKey) => (isAdministrator ? undefined : uniteAccess(definition, key, sources))
  return {
    groups: names,
    filter:
      filters &&
      uniteFilters(
        filters.map(({ filter }) => filter),
        attributes,
      ),
    mustBeNamed: !isAdministrator && hasReaders(definition),
    hidden: isAdministrator ? undefined : findHiddenFields(definition, names),
    apis: findOpened('apis'),
    collections: findOpened('collections'),
    limits: isAdministrator ? undefined : uniteLimits(sources),
    isAdministrator,
    changesAt: Math.min(changesAt, endsLater(member, nowMs)),
  }
}

/** A filter that holds for a member, and where it comes from. */
export interface FilterSource {
  source: 'own' | 'group' | 'memberDefaults'
  group?: string
  filter: RowFilter
}

/** Returns the filters that hold for a member, with attributes filled in. Undefined: none holds. */
export const findFilterSources = (
  definition: Definition,
  member: RightsHolder,
  nowMs = Date.now(),
): (FilterSource & { filled: RowFilter | undefined })[] | undefined => {
  const { attributes, filters } = readSources(definition, member, nowMs)
  return filters?.map(source => ({ ...source, filled: fillAttributes(source.filter, attributes) }))
}

const readSources = (definition: Definition, member: RightsHolder, nowMs: number) => {
  const { rights = {}, roles } = member
  const isAdministrator = roles.includes('administrator')
  const claimed = findGiven(definition, member.given)
  const grants = [...(rights.groups ?? []), ...claimed.groups]
  const { names, changesAt } = currentGroups(definition, grants, nowMs)
  const attributes = uniteAttributes([rights.attributes, claimed.attributes])
  const filters: FilterSource[] | undefined = member.filter
    ? [{ source: 'own', filter: member.filter }]
    : isAdministrator
      ? undefined
      : sourcedFilters(definition, names)
  return { isAdministrator, names, changesAt, attributes, filters }
}

/** Returns what the provider gave, as far as the definition still lets it give that. */
const findGiven = ({ identityProvider }: Definition, given: RightsHolder['given'] = {}): GivenRights => {
  const rights =
    identityProvider && Object.hasOwn(given, identityProvider.issuer)
      ? given[identityProvider.issuer]
      : undefined
  const mapped = new Set(Object.values(identityProvider?.groups?.map ?? {}).flat())
  const copied = identityProvider?.attributes ?? {}
  return {
    groups: (rights?.groups ?? []).filter(name => mapped.has(name)),
    attributes: Object.fromEntries(
      Object.entries(rights?.attributes ?? {}).filter(([name]) => Object.hasOwn(copied, name)),
    ),
  }
}

export const hasReaders = ({ collections = {} }: Definition): boolean =>
  Object.values(collections).some(({ readers }) => readers !== undefined)

/** Returns the groups that exist and have not ended. */
const currentGroups = (
  { groups = {} }: Definition,
  grants: NonNullable<NonNullable<RightsHolder['rights']>['groups']>,
  nowMs: number,
): { names: string[]; changesAt: number } => {
  const names = new Set<string>()
  let changesAt = Number.POSITIVE_INFINITY
  for (const grant of grants) {
    const name = groupName(grant)
    const endsAt =
      typeof grant === 'string' ? Number.POSITIVE_INFINITY : (readMembershipEnd(grant.until) ?? 0)
    if (!Object.hasOwn(groups, name) || endsAt <= nowMs) continue
    names.add(name)
    changesAt = Math.min(changesAt, endsAt)
  }
  return { names: [...names].sort(), changesAt }
}

/** Returns the filters of the groups, or the default. Undefined: nothing restricts the member. */
const sourcedFilters = (
  { groups = {}, memberDefaults }: Definition,
  names: readonly string[],
): FilterSource[] | undefined => {
  const groupFilters = names.flatMap((group): FilterSource[] => {
    const filter = groups[group]?.filter
    return filter ? [{ source: 'group', group, filter }] : []
  })
  if (groupFilters.length > 0) return groupFilters
  if (memberDefaults?.filter) return [{ source: 'memberDefaults', filter: memberDefaults.filter }]
  // A definition with such a group and no default cannot be applied.
  return Object.values(groups).some(({ filter }) => filter) ? [] : undefined
}

/** Joins what the sources open. Without any, the defaults count. Undefined: all. */
const uniteAccess = (
  { groups = {}, memberDefaults }: Definition,
  key: AccessKey,
  sources: readonly Access[],
): ReadonlySet<string> | undefined => {
  const sourceLists = sources.map(source => source[key]).filter(names => names !== undefined)
  const fallback = memberDefaults?.[key]
  const lists = sourceLists.length > 0 || fallback === undefined ? sourceLists : [fallback]
  if (lists.includes('all')) return undefined
  if (lists.length > 0) return new Set(lists.flat().sort())
  // A definition with such a group and no default cannot be applied.
  return Object.values(groups).some(group => group[key] !== undefined) ? new Set() : undefined
}

/** The highest limits of the sources. */
const uniteLimits = (sources: readonly { limits?: QueryLimits }[]): QueryLimits | undefined => {
  const highest = (key: keyof QueryLimits) => {
    const values = sources.map(({ limits }) => limits?.[key]).filter(value => value !== undefined)
    return values.length > 0 ? { [key]: Math.max(...values) } : {}
  }
  const limits = { ...highest('perMinute'), ...highest('atOnce') }
  return Object.keys(limits).length > 0 ? limits : undefined
}

const endsLater = ({ endsAt = null }: RightsHolder, nowMs: number): number =>
  endsAt === null || endsAt <= nowMs ? Number.POSITIVE_INFINITY : endsAt

/**
 * Whether the member does not see everything (authorization-server.md, "A limited user"). Administrators count as unlimited, because they
 * could also remove their filter.
 */
export const isLimited = (rights: Rights): boolean =>
  !rights.isAdministrator &&
  (!seesAllDocuments(rights) ||
    rights.hidden !== undefined ||
    rights.apis !== undefined ||
    rights.collections !== undefined)

/** False if a row filter or readers may hide documents. */
export const seesAllDocuments = ({ filter, mustBeNamed }: Rights): boolean =>
  filter === undefined && !mustBeNamed
