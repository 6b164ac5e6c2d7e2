/** The names by which documents may name a caller as a reader (authorization-server.md, Readers). */
import { canonicalEmail } from '@querent/contract/email-address'
import type { Definition } from '@querent/contract/workspace-file'
import { LRUCache } from 'lru-cache'
import type { MaybePromise } from '#storage/directory'
import type { UserRow } from '#storage/users'
import type { EffectiveFilter } from './effective-filter.ts'
import { hasReaders, type Rights } from './rights.ts'

interface Account {
  kind: 'user' | 'system-to-system'
  subject: string
}
interface Users {
  user(id: string): MaybePromise<UserRow | undefined>
}

/** Different lists of names of one version of a definition. Callers with the same names share cached plans. */
const sharedMax = 1000
const caches = new WeakMap<Definition, LRUCache<string, EffectiveFilter>>()

const readersFilter = (definition: Definition, names: readonly string[]): EffectiveFilter => {
  const cache = caches.get(definition) ?? new LRUCache<string, EffectiveFilter>({ max: sharedMax })
  caches.set(definition, cache)
  const key = JSON.stringify(names)
  const filter = cache.get(key) ?? { alternatives: [{}], dependsOnTime: false, readers: names }
  cache.set(key, filter)
  return filter
}

/** Returns the names by which documents may name a member. `address`: of a person. */
export const readerNames = (
  { kind, subject }: Account,
  address: string | undefined,
  { groups }: Pick<Rights, 'groups'>,
): string[] => {
  const ownName = kind === 'user' ? address && canonicalEmail(address) : subject
  return [...(ownName ? [ownName] : []), ...groups]
}

/** Returns the condition on readers for a member; undefined if it does not hold. The address is the current one. */
export const findReaders = async (
  definition: Definition,
  rights: Rights,
  account: Account,
  users: Users,
): Promise<EffectiveFilter | undefined> => {
  if (!rights.mustBeNamed) return undefined
  const email = account.kind === 'user' ? (await users.user(account.subject))?.email : undefined
  return readersFilter(definition, readerNames(account, email, rights))
}

/** The condition for somebody of whom only the groups are known. */
export const findGroupReaders = (
  definition: Definition,
  { mustBeNamed, groups }: Rights,
): EffectiveFilter | undefined => (mustBeNamed ? readersFilter(definition, groups) : undefined)

/** The condition for a stranger at a public API: only documents for everyone. */
export const findStrangerReaders = (definition: Definition): EffectiveFilter | undefined =>
  hasReaders(definition) ? readersFilter(definition, []) : undefined
