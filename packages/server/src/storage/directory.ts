/**
 * What the path of a query needs to know, kept in bounded memory and forgotten on the change feed's word: workspaces, memberships,
 * clients, users, revocations. A warm lookup does no I/O.
 */
import { LRUCache } from 'lru-cache'
import { Problem } from '#errors'
import { type ClientRow, findClient } from './clients.ts'
import { everyKey, type Storage, type Topic } from './db.ts'
import { memberKey } from './feed.ts'
import { findMember, type MemberRow } from './members.ts'
import { isRevoked } from './revocations.ts'
import { findUser, findUserByEmail, type UserRow } from './users.ts'
import { findWorkspace, type WorkspaceRow } from './workspaces.ts'

/** At hand where it is known already: a query asks several times, and waiting for what is known costs more than knowing it. */
export type Known<T> = T | Promise<T>

/** What comes of a value: at once where it is at hand. */
export const whenKnown = <T, R>(known: Known<T>, next: (value: T) => Known<R>): Known<R> =>
  known instanceof Promise ? known.then(next) : next(known)

export interface Directory {
  workspace(slug: string): Known<WorkspaceRow | undefined>
  member(workspaceId: string, subject: string): Known<MemberRow | undefined>
  /** Asks the storage: before somebody is refused who may have been made a member on another node this moment. */
  memberNow(workspaceId: string, subject: string): Known<MemberRow | undefined>
  client(id: string): Known<ClientRow | undefined>
  user(id: string): Known<UserRow | undefined>
  /** Asks the storage each time: for what people do now and then. */
  userByEmail(email: string): Promise<UserRow | undefined>
  /** Whether the access token with this `jti` was revoked. */
  tokenRevoked(jti: string): Known<boolean>
  /** Whether the grant that gave a token was revoked. */
  grantRevoked(grantId: string): Known<boolean>
  /** A mark of what is known now, for {@link holds}. */
  mark(): number
  /** Whether all that was known at the mark still is: nothing has changed since, and storage that would tell has been heard. */
  holds(mark: number): boolean
  /** Whether storage has been heard of lately enough for what is known to be served. */
  isHeard(): boolean
  /** How often each kind was asked for: what was in memory, and what was not. */
  lookups(): Record<string, { hits: number; misses: number }>
  close(): void
}

const megabyte = 1024 * 1024
/** Of each kind, so much is kept, 100,000 memberships; the longest unused goes first. Measured: docs/scale.md. */
const keptBytesMax = 64 * megabyte
const workspacesBytesMax = 256 * megabyte
const kinds = 6
const allBytesMax = workspacesBytesMax + (kinds - 1) * keptBytesMax
/** What an entry takes beside its key and what `long` makes of its value: those of a person take the most. */
const entryBytes = 512
/** Of each letter of that as JSON: short texts and numbers take more room than letters. */
const letterBytes = 4
/** Of each letter of a definition, with what is compiled from it and goes when it goes. */
const definitionLetterBytes = 12

interface Keeping<T> {
  bytesMax: number
  /** That of a value which may be of any length, and what each letter of it as JSON takes. */
  long?: (value: T) => unknown
  longLetterBytes?: number
}

/** One kind of thing: answers from memory, else from `load`; a value read while its key was announced is not kept. */
const memory = <T>(
  load: (key: string) => Promise<T>,
  { bytesMax, long = () => undefined, longLetterBytes = letterBytes }: Keeping<T>,
) => {
  const kept = new LRUCache<string, { value: T }>({
    maxSize: bytesMax,
    sizeCalculation: ({ value }, key) =>
      entryBytes + 2 * key.length + longLetterBytes * (JSON.stringify(long(value))?.length ?? 0),
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
      if (loading.get(key) === promise) kept.set(ofItsOwn(key), { value })
      return value
    } finally {
      if (loading.get(key) === promise) loading.delete(key)
    }
  }
  return {
    lookups,
    get(key: string): Known<T> {
      const entry = kept.get(key)
      if (entry) {
        lookups.hits += 1
        return entry.value
      }
      lookups.misses += 1
      return loading.get(key) ?? read(key)
    },
    forget(key: string): void {
      if (key === everyKey) {
        kept.clear()
        loading.clear()
      }
      kept.delete(key)
      loading.delete(key)
    },
  }
}

/** A copy: a part of an address, as a key may be, would keep all of the address in memory. */
const ofItsOwn = (key: string): string => Buffer.from(key).toString()

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
  const bounded = { bytesMax: Math.ceil(keptBytesMax * share) }
  const memories = {
    workspace: memory(slug => findWorkspace(db, slug), {
      bytesMax: Math.ceil(workspacesBytesMax * share),
      long: workspace => workspace?.definition,
      longLetterBytes: definitionLetterBytes,
    }),
    member: memory(
      key => {
        const [workspaceId = '', subject = ''] = key.split(' ', 2)
        return findMember(db, workspaceId, subject)
      },
      { ...bounded, long: member => member?.filter },
    ),
    client: memory(id => findClient(db, id), { ...bounded, long: client => client?.settings }),
    user: memory(id => findUser(db, id), bounded),
    token: memory(jti => isRevoked(db, 'token', jti), bounded),
    grant: memory(id => isRevoked(db, 'grant', id), bounded),
  } satisfies Partial<Record<Topic, unknown>>
  let changes = 0
  const close = storage.onChange(({ topic, key }) => {
    changes += 1
    if (topic in memories) memories[topic as keyof typeof memories].forget(key)
  })
  const knownMs = Math.max(staleMs, feedMs)
  const isHeard = () => storage.silentMs() <= knownMs
  const guarded = <T>(from: { get(key: string): Known<T> }, key: string): Known<T> =>
    isHeard() ? from.get(key) : Promise.reject(unreachable())
  return {
    workspace: slug => guarded(memories.workspace, slug),
    member: (workspaceId, subject) => guarded(memories.member, memberKey(workspaceId, subject)),
    memberNow(workspaceId, subject) {
      const key = memberKey(workspaceId, subject)
      memories.member.forget(key)
      return guarded(memories.member, key)
    },
    client: id => guarded(memories.client, id),
    user: id => guarded(memories.user, id),
    userByEmail: email =>
      findUserByEmail(db, email).catch(cause => {
        throw unreachable(cause)
      }),
    tokenRevoked: jti => guarded(memories.token, jti),
    grantRevoked: id => guarded(memories.grant, id),
    lookups: () => Object.fromEntries(Object.entries(memories).map(([kind, { lookups }]) => [kind, lookups])),
    mark: () => changes,
    holds: mark => mark === changes && isHeard(),
    isHeard,
    close,
  }
}
