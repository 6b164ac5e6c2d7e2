/**
 * Bounded caches of everything a query needs: workspaces, memberships, clients, users and revocations. The
 * change feed invalidates them. A warm lookup does no I/O.
 */
import { slugPattern } from '@querent/contract/manage'
import { LRUCache } from 'lru-cache'
import { Problem } from '#errors'
import { memberKey } from './change-feed.ts'
import {
  type ClientRow,
  clientIdCharsMax,
  findClient,
  isMetadataDocumentId,
  makeMetadataDocumentRow,
} from './clients.ts'
import { allKeys, type Db, type Storage, type Topic } from './db.ts'
import { findMember, type MemberRow } from './members.ts'
import { isRevoked } from './revocations.ts'
import { findUser, findUserByEmail, type UserRow } from './users.ts'
import { findWorkspace, type WorkspaceRow } from './workspaces.ts'

/**
 * A value if it is in memory, otherwise a promise. A query does several lookups, and awaiting costs more than
 * the lookup itself.
 */
export type MaybePromise<T> = T | Promise<T>

/** Maps a value, synchronously if it is in memory. */
export const mapMaybePromise = <T, R>(
  input: MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
): MaybePromise<R> => (input instanceof Promise ? input.then(next) : next(input))

/**
 * Lookups for authorization: the {@link Directory} reads from memory, {@link createStoredLookups} from the
 * storage.
 */
export type AccessLookups = Pick<
  Directory,
  'workspace' | 'member' | 'client' | 'user' | 'tokenRevoked' | 'grantRevoked'
>
/** Lookups that decide whether a token's account still exists and is enabled. */
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
  /** Reads from the storage, before rejecting somebody who may just have become a member on another node. */
  fetchMember(workspaceId: string, subject: string): MaybePromise<MemberRow | undefined>
  client(id: string): MaybePromise<ClientRow | undefined>
  user(id: string): MaybePromise<UserRow | undefined>
  /** Reads from the storage each time; for rare operations. */
  userByEmail(email: string): Promise<UserRow | undefined>
  /** Whether the access token with this `jti` was revoked. */
  tokenRevoked(jti: string): MaybePromise<boolean>
  /** Whether the grant of a token was revoked. */
  grantRevoked(grantId: string): MaybePromise<boolean>
  /** Version of the cached data, for {@link isCurrent}. */
  version(): number
  /** Whether nothing has changed since that version, and the storage is reachable enough to know. */
  isCurrent(version: number): boolean
  /** Whether the storage answered recently enough to serve cached data. */
  isFresh(): boolean
  /** Hits and misses of each kind. */
  lookups(): Record<string, { hits: number; misses: number }>
  close(): void
}

const megabyte = 1024 * 1024
/**
 * Limit of each kind: 100,000 memberships; the least recently used goes first. Measured:
 * bench/notes/scale.md.
 */
const cacheBytesMax = 64 * megabyte
const workspacesBytesMax = 256 * megabyte
const kinds = 6
/**
 * Memory for keys without a row, about 1,900 for each kind. Anybody can ask for any name, so these never
 * evict existing entries.
 */
const absentBytesMax = megabyte
const allBytesMax = workspacesBytesMax + (kinds - 1) * cacheBytesMax
/** Size of an entry without its key and variable part; users take the most. */
const entryBytes = 512
/**
 * Bytes for each character of the variable part as JSON; short texts and numbers take more than their
 * characters.
 */
const characterBytes = 4
/** Bytes for each character of a definition, including everything compiled from it. */
const definitionCharacterBytes = 12

const slug = new RegExp(slugPattern)

interface CacheOptions<T> {
  bytesMax: number
  absentBytesMax: number
  /**
   * Whether the key is valid; if not, the lookup returns undefined without any I/O. `T` must then include
   * undefined.
   */
  mayExist?: (key: string) => boolean
  /** Part of the value without a bounded size, and the bytes for each character of it as JSON. */
  variablePart?: (value: T) => unknown
  variableCharacterBytes?: number
}

/**
 * Cache of one kind of entity, filled by `load`. A value whose key was announced while it was loading is not
 * cached.
 */
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
      // An invalid key has no row.
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

/** Copies the key. A substring of an address would keep the whole address in memory. */
const detachedString = (key: string): string => Buffer.from(key).toString()

/** A reachable storage answers every quarter of a second; a busy machine may take longer. */
const feedMs = 1000

const unreachable = (cause?: unknown): Problem =>
  new Problem('unavailable', 'the storage cannot be reached; try again shortly', { cause })

/**
 * `staleMs`: how long cached data is served while the storage is unreachable; after that every lookup throws
 * 503. `bytesMax`: limit of all kinds together, if lower than the sum of their own limits.
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
      { ...bounded, variablePart: member => [member?.filter, member?.rights, member?.given] },
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
  /** After this process was busy or asleep, or its clock was set, the storage is asked before the request fails. */
  const readAfterCatchUp = async <T>(read: () => MaybePromise<T>): Promise<T> => {
    if (!storage.isAway()) await storage.catchUp()
    if (!isFresh()) throw unreachable()
    return read()
  }
  const readFresh = <T>(cache: { get(key: string): MaybePromise<T> }, key: string): MaybePromise<T> =>
    isFresh() ? cache.get(key) : readAfterCatchUp(() => cache.get(key))
  return {
    workspace: key => readFresh(caches.workspace, key),
    member: (workspaceId, subject) => readFresh(caches.member, memberKey(workspaceId, subject)),
    fetchMember(workspaceId, subject) {
      const key = memberKey(workspaceId, subject)
      caches.member.forget(key)
      return readFresh(caches.member, key)
    },
    // Anybody can name any URL, so these never evict existing entries.
    client: id => (isMetadataDocumentId(id) ? makeMetadataDocumentRow(id) : readFresh(caches.client, id)),
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
