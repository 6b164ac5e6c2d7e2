/**
 * What the path of a query needs to know, kept in bounded memory and forgotten on the change feed's word: workspaces, memberships,
 * clients, users, revocations. A warm lookup does no I/O.
 */
import { slugPattern } from '@querent/contract/manage'
import { LRUCache } from 'lru-cache'
import { Problem } from '#errors'
import { memberKey } from './change-feed.ts'
import { type ClientRow, findClient } from './clients.ts'
import { allKeys, type Db, type Storage, type Topic } from './db.ts'
import { findMember, type MemberRow } from './members.ts'
import { isRevoked } from './revocations.ts'
import { findUser, findUserByEmail, type UserRow } from './users.ts'
import { findWorkspace, type WorkspaceRow } from './workspaces.ts'

/** At hand where it is known already: a query asks several times, and waiting for what is known costs more than knowing it. */
export type MaybePromise<T> = T | Promise<T>

/** What comes of a value: at once where it is at hand. */
export const mapMaybePromise = <T, R>(
  input: MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
): MaybePromise<R> => (input instanceof Promise ? input.then(next) : next(input))

/** Reads what decides who may do what: the {@link Directory} from memory, {@link createStoredLookups} from the storage. */
export type AccessLookups = Pick<
  Directory,
  'workspace' | 'member' | 'client' | 'user' | 'tokenRevoked' | 'grantRevoked'
>
/** The part of them that decides whether the account of a token still exists and is enabled. */
export type AccountLookups = Omit<AccessLookups, 'workspace' | 'member'>

/** Reads through `db`, which may be a transaction. */
export const createStoredLookups = (db: Db): AccessLookups => ({
  workspace: slug => findWorkspace(db, slug),
  member: (workspaceId, subject) => findMember(db, workspaceId, subject),
  client: id => findClient(db, id),
  user: id => findUser(db, id),
  tokenRevoked: jti => isRevoked(db, 'token', jti),
  grantRevoked: id => isRevoked(db, 'grant', id),
})

export interface Directory {
  workspace(slug: string): MaybePromise<WorkspaceRow | undefined>
  member(workspaceId: string, subject: string): MaybePromise<MemberRow | undefined>
  /** Asks the storage: before somebody is refused who may have been made a member on another node this moment. */
  fetchMember(workspaceId: string, subject: string): MaybePromise<MemberRow | undefined>
  client(id: string): MaybePromise<ClientRow | undefined>
  user(id: string): MaybePromise<UserRow | undefined>
  /** Asks the storage each time: for what people do now and then. */
  userByEmail(email: string): Promise<UserRow | undefined>
  /** Whether the access token with this `jti` was revoked. */
  tokenRevoked(jti: string): MaybePromise<boolean>
  /** Whether the grant that gave a token was revoked. */
  grantRevoked(grantId: string): MaybePromise<boolean>
  /** A mark of what is known now, for {@link isCurrent}. */
  version(): number
  /** Whether all that was known at the mark still is: nothing has changed since, and storage that would tell has been heard. */
  isCurrent(version: number): boolean
  /** Whether storage has been heard of lately enough for what is known to be served. */
  isFresh(): boolean
  /** How often each kind was asked for: what was in memory, and what was not. */
  lookups(): Record<string, { hits: number; misses: number }>
  close(): void
}

const megabyte = 1024 * 1024
/** Of each kind, so much is kept, 100,000 memberships; the longest unused goes first. Measured: bench/notes/scale.md. */
const cacheBytesMax = 64 * megabyte
const workspacesBytesMax = 256 * megabyte
const kinds = 6
/**
 * For each kind, the memory of keys that the storage has nothing under: about 1,900 of them. Anybody may ask for any name, so these never
 * take the place of what is there.
 */
const absentBytesMax = megabyte
const allBytesMax = workspacesBytesMax + (kinds - 1) * cacheBytesMax
/** What an entry takes beside its key and what `long` makes of its value: those of a person take the most. */
const entryBytes = 512
/** Of each letter of that as JSON: short texts and numbers take more room than letters. */
const characterBytes = 4
/** Of each letter of a definition, with what is compiled from it and goes when it goes. */
const definitionCharacterBytes = 12

/** Client IDs are far shorter. */
const clientIdCharsMax = 255
const slug = new RegExp(slugPattern)

interface CacheOptions<T> {
  bytesMax: number
  absentBytesMax: number
  /** Whether there can be anything under the key; if not, neither storage nor memory hears of it, and `T` includes undefined. */
  mayExist?: (key: string) => boolean
  /** That of a value which may be of any length, and what each letter of it as JSON takes. */
  variablePart?: (value: T) => unknown
  variableCharacterBytes?: number
}

/** One kind of thing: answers from memory, else from `load`; a value read while its key was announced is not kept. */
const createEntityCache = <T>(
  load: (key: string) => Promise<T>,
  {
    bytesMax,
    absentBytesMax,
    mayExist,
    variablePart = () => undefined,
    variableCharacterBytes = characterBytes,
  }: CacheOptions<T>,
) => {
  const entries = new LRUCache<string, { value: T }>({
    maxSize: bytesMax,
    sizeCalculation: ({ value }, key) =>
      entryBytes +
      2 * key.length +
      variableCharacterBytes * (JSON.stringify(variablePart(value))?.length ?? 0),
  })
  const absent = new LRUCache<string, { value: T }>({
    maxSize: absentBytesMax,
    sizeCalculation: (_, key) => entryBytes + 2 * key.length,
  })
  const loading = new Map<string, Promise<T>>()
  const lookups = { hits: 0, misses: 0 }
  const read = async (key: string): Promise<T> => {
    const promise = load(key).catch(cause => {
      throw unreachable(cause)
    })
    loading.set(key, promise)
    try {
      const value = await promise
      if (loading.get(key) === promise)
        (value === undefined ? absent : entries).set(detachedString(key), { value })
      return value
    } finally {
      if (loading.get(key) === promise) loading.delete(key)
    }
  }
  return {
    lookups,
    get(key: string): MaybePromise<T> {
      const entry = entries.get(key) ?? absent.get(key)
      if (entry) {
        lookups.hits += 1
        return entry.value
      }
      // Storage would say the same: a key that cannot be has no row.
      if (mayExist && !mayExist(key)) return undefined as T
      lookups.misses += 1
      return loading.get(key) ?? read(key)
    },
    forget(key: string): void {
      if (key === allKeys) {
        entries.clear()
        absent.clear()
        loading.clear()
      }
      entries.delete(key)
      absent.delete(key)
      loading.delete(key)
    },
  }
}

/** A copy: a part of an address, as a key may be, would keep all of the address in memory. */
const detachedString = (key: string): string => Buffer.from(key).toString()

/** Storage that is there is heard of every quarter of a second; a busy machine may take longer. */
const feedMs = 1000

const unreachable = (cause?: unknown): Problem =>
  new Problem('unavailable', 'the storage cannot be reached; try again shortly', { cause })

/**
 * `staleMs`: for how long what is known is served while storage cannot be reached; after that every lookup throws 503
 * (query-service.md, Authorisation: "at most 30 s"). `bytesMax`: of all kinds together, where that is less than their own bounds come to.
 */
export const openDirectory = (storage: Storage, staleMs: number, bytesMax = allBytesMax): Directory => {
  const { db } = storage
  const share = Math.min(bytesMax / allBytesMax, 1)
  const absentBound = { absentBytesMax: Math.ceil(absentBytesMax * share) }
  const bounded = { bytesMax: Math.ceil(cacheBytesMax * share), ...absentBound }
  const caches = {
    workspace: createEntityCache(key => findWorkspace(db, key), {
      ...absentBound,
      bytesMax: Math.ceil(workspacesBytesMax * share),
      mayExist: key => slug.test(key),
      variablePart: workspace => workspace?.definition,
      variableCharacterBytes: definitionCharacterBytes,
    }),
    member: createEntityCache(
      key => {
        const [workspaceId = '', subject = ''] = key.split(' ', 2)
        return findMember(db, workspaceId, subject)
      },
      { ...bounded, variablePart: member => member?.filter },
    ),
    client: createEntityCache(id => findClient(db, id), {
      ...bounded,
      variablePart: client => client?.settings,
      mayExist: id => id.length <= clientIdCharsMax,
    }),
    user: createEntityCache(id => findUser(db, id), bounded),
    token: createEntityCache(jti => isRevoked(db, 'token', jti), bounded),
    grant: createEntityCache(id => isRevoked(db, 'grant', id), bounded),
  } satisfies Partial<Record<Topic, unknown>>
  let changes = 0
  const close = storage.onChange(({ topic, key }) => {
    changes += 1
    if (topic in caches) caches[topic as keyof typeof caches].forget(key)
  })
  const freshMs = Math.max(staleMs, feedMs)
  const isFresh = () => storage.silentMs() <= freshMs
  const readFresh = <T>(cache: { get(key: string): MaybePromise<T> }, key: string): MaybePromise<T> =>
    isFresh() ? cache.get(key) : Promise.reject(unreachable())
  return {
    workspace: key => readFresh(caches.workspace, key),
    member: (workspaceId, subject) => readFresh(caches.member, memberKey(workspaceId, subject)),
    fetchMember(workspaceId, subject) {
      const key = memberKey(workspaceId, subject)
      caches.member.forget(key)
      return readFresh(caches.member, key)
    },
    client: id => readFresh(caches.client, id),
    user: id => readFresh(caches.user, id),
    userByEmail: email =>
      findUserByEmail(db, email).catch(cause => {
        throw unreachable(cause)
      }),
    tokenRevoked: jti => readFresh(caches.token, jti),
    grantRevoked: id => readFresh(caches.grant, id),
    lookups: () => Object.fromEntries(Object.entries(caches).map(([kind, { lookups }]) => [kind, lookups])),
    version: () => changes,
    isCurrent: version => version === changes && isFresh(),
    isFresh,
    close,
  }
}
