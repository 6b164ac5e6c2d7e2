/**
 * Signing keys follow one another, on schedule and by command. The next key is published first and signs from a later moment, so that
 * whoever keeps our key set has it by then; the one before is published until its tokens are gone (authorization-server.md, Tokens). One
 * that leaked is withdrawn: it is gone at once, and its tokens with it.
 */
import { Problem } from '#errors'
import type { Storage, Writer } from '#storage/db'
import {
  listSigningKeys,
  lockSigningKeys,
  removeSigningKey,
  type SigningKeyRow,
  saveSigningKey,
} from '#storage/signing-keys'
import { algorithmsInUse, isExpired, type Keyring, makeKey, readAlgorithm } from './keyring.ts'

export interface Rotation {
  /** `kid` of each key that signs next. */
  published: string[]
  /** When they begin to sign, milliseconds since 1970. */
  signsFrom: number
}
export interface Withdrawal {
  /** Of the key that is gone. */
  kid: string
  /** `kid` of the key that signs in its place; none where another did already. */
  published: string[]
  /** When that begins to sign, milliseconds since 1970; undefined: there is none. */
  signsFrom?: number
}
type RecordChange<Done> = (writer: Writer, done: Done) => Promise<void>

export interface KeyRotation {
  /**
   * Publishes the next keys; they sign in `signsInMs`. Keys that wait for their turn already are not followed by others: they sign
   * then, or earlier as was settled before. `record` is part of the transaction; where all was settled before it is not called.
   */
  rotate(signsInMs: number, record: RecordChange<Rotation>): Promise<Rotation>
  /**
   * Removes the key: what it signed is refused by this node when the promise resolves, by others within a second. Where it signs,
   * another of its algorithm signs now; where it was to sign, another will in its place, {@link publishedBeforeUseMs} after it was
   * published or later. Nothing is published in place of one that was followed already. `record` is part of the transaction.
   * Undefined: there is no such key. Throws `unavailable` when it is removed and this node could not read that yet.
   */
  withdraw(kid: string, record: RecordChange<Withdrawal>): Promise<Withdrawal | undefined>
  /** Tells `listener` what this process did, by command or on schedule; what it did before this call at once. */
  onKeyChange(listener: (done: Rotation | Withdrawal) => void): void
  close(): void
}

interface Dependencies {
  storage: Storage
  /** 32 bytes. */
  secretKey: Buffer
  accessTokenAlgorithm: 'ES256' | 'EdDSA'
  keyring: Pick<Keyring, 'reload'>
  /** Age in days at which a key is followed by the next. */
  days: number | 'off'
}

/** For a key that nothing else settles: those who keep a key set fetch it anew within minutes. */
export const publishedBeforeUseMs = 10 * 60 * 1000
const dayMs = 24 * 60 * 60 * 1000
/** Nothing is urgent about it, and some keep key sets for a day. */
const scheduledSignsInMs = dayMs
const checkIntervalMs = 60 * 60 * 1000

/** Looks now and every hour whether a key is due; of several nodes one makes the next. */
export const openKeyRotation = ({
  storage,
  secretKey,
  accessTokenAlgorithm,
  keyring,
  days,
}: Dependencies): KeyRotation => {
  const algorithms = algorithmsInUse(accessTokenAlgorithm)

  const rotate = async (
    signsInMs: number,
    record: RecordChange<Rotation>,
    isWanted: (rows: readonly SigningKeyRow[]) => boolean = () => true,
  ): Promise<{ rotation: Rotation; isNew: boolean } | undefined> => {
    // Before the transaction: making an RSA key takes a good part of a second.
    const newKeys = await Promise.all(algorithms.map(alg => makeKey(alg, secretKey)))
    return storage.write(async writer => {
      await lockSigningKeys(writer, storage.kind)
      const rows = await listSigningKeys(writer.db)
      if (!isWanted(rows)) return undefined
      const { save, remove, rotation, isNew } = planRotation(rows, newKeys, Date.now(), signsInMs)
      for (const row of save) await saveSigningKey(writer, row)
      for (const kid of remove) await removeSigningKey(writer, kid)
      if (isNew) await record(writer, rotation)
      return { rotation, isNew }
    })
  }

  const isDue = (rows: readonly SigningKeyRow[]): boolean =>
    days !== 'off' &&
    algorithms.some(alg => {
      const newest = rows.findLast(row => row.alg === alg && row.retired_at === null)
      return newest !== undefined && newest.active_from + days * dayMs <= Date.now()
    })
  const rotateWhenDue = async () => {
    if (!isDue(await listSigningKeys(storage.db))) return
    const done = await rotate(scheduledSignsInMs, async () => {}, isDue)
    if (done) emit(done.rotation)
  }

  const withdraw = async (kid: string, record: RecordChange<Withdrawal>): Promise<Withdrawal | undefined> => {
    const existingKey = (await listSigningKeys(storage.db)).find(row => row.kid === kid)
    if (!existingKey) return undefined
    // Of whatever algorithm: while the setting is being changed, other nodes may sign with one that this node does not use.
    const newKey = await makeKey(readAlgorithm(existingKey), secretKey)
    return storage.write(async writer => {
      await lockSigningKeys(writer, storage.kind)
      const rows = await listSigningKeys(writer.db)
      const now = Date.now()
      const withdrawn = rows.find(row => row.kid === kid)
      if (!withdrawn || isExpired(withdrawn, now)) return undefined
      const [successor, ...replacedKeys] = planSuccessors(withdrawn, rows, newKey, now)
      for (const row of successor ? [successor, ...replacedKeys] : []) await saveSigningKey(writer, row)
      await removeSigningKey(writer, kid)
      const withdrawal: Withdrawal = {
        kid,
        published: successor ? [successor.kid] : [],
        ...(successor ? { signsFrom: successor.active_from } : {}),
      }
      await record(writer, withdrawal)
      return withdrawal
    })
  }

  // At the start, before there is who writes them to the log.
  const pendingEvents: (Rotation | Withdrawal)[] = []
  let emit = (done: Rotation | Withdrawal): void => void pendingEvents.push(done)
  let lastCheck: Promise<unknown> = Promise.resolve()
  const checkSchedule = () => {
    // Storage that is away: the keys go on, the next look tries again.
    lastCheck = lastCheck.then(rotateWhenDue).catch(() => {})
  }
  checkSchedule()
  const timer = setInterval(checkSchedule, checkIntervalMs).unref()
  return {
    async rotate(signsInMs, record) {
      const done = await rotate(signsInMs, record)
      if (!done) throw new Error('keys were not rotated although nothing was to be waited for')
      if (done.isNew) emit(done.rotation)
      return done.rotation
    },
    async withdraw(kid, record) {
      const withdrawal = await withdraw(kid, record)
      if (!withdrawal) return undefined
      emit(withdrawal)
      await keyring.reload().catch(cause => {
        throw new Problem(
          'unavailable',
          `the key ${kid} is withdrawn, and other nodes refuse what it signed; this node could not read that from the storage yet, tries again every second, and takes the key until then`,
          { cause },
        )
      })
      return withdrawal
    },
    onKeyChange(listener) {
      emit = listener
      for (const done of pendingEvents.splice(0)) listener(done)
    },
    close: () => clearInterval(timer),
  }
}

/**
 * What has to be stored when a key is withdrawn: first what signs in its place, the next if there is one, else `fresh`; then those that
 * sign until that does. None where it was followed already. Pure.
 */
const planSuccessors = (
  withdrawn: SigningKeyRow,
  rows: readonly SigningKeyRow[],
  newKey: SigningKeyRow,
  now: number,
): SigningKeyRow[] => {
  if (withdrawn.retired_at !== null && withdrawn.retired_at <= now) return []
  const otherKeys = rows.filter(({ alg, kid }) => alg === withdrawn.alg && kid !== withdrawn.kid)
  const next = otherKeys.findLast(row => row.active_from > now) ?? newKey
  // Where it signs there is nothing to wait for.
  if (withdrawn.active_from <= now) return [{ ...next, active_from: now }]
  const signsFrom = Math.max(withdrawn.active_from, next.created_at + publishedBeforeUseMs)
  const replacedKeys = otherKeys.filter(row => row.active_from <= now && (row.retired_at ?? 0) > now)
  return [
    { ...next, active_from: signsFrom },
    ...replacedKeys.map(row => ({ ...row, retired_at: signsFrom })),
  ]
}

/** What has to be stored. `made` has a key for each algorithm in use; those of other algorithms retire. Pure. */
const planRotation = (
  rows: readonly SigningKeyRow[],
  newKeys: readonly SigningKeyRow[],
  now: number,
  signsInMs: number,
) => {
  const next = newKeys.map(newKey => {
    const pendingKey = rows.findLast(row => row.alg === newKey.alg && row.active_from > now)
    return {
      ...(pendingKey ?? newKey),
      active_from: Math.min(pendingKey?.active_from ?? Infinity, now + signsInMs),
    }
  })
  const replacedKeys = rows
    .filter(row => row.active_from <= now && (row.retired_at === null || row.retired_at > now))
    .map(row => ({
      ...row,
      retired_at: next.find(({ alg }) => alg === row.alg)?.active_from ?? now + signsInMs,
    }))
  const rotation: Rotation = {
    published: next.map(({ kid }) => kid),
    signsFrom: Math.max(...next.map(row => row.active_from)),
  }
  const expiredKeys = rows.filter(row => isExpired(row, now))
  const isNew = next.some(
    row => !rows.some(({ kid, active_from }) => kid === row.kid && active_from === row.active_from),
  )
  return { save: [...next, ...replacedKeys], remove: expiredKeys.map(({ kid }) => kid), rotation, isNew }
}
