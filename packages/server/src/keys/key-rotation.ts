/**
 * Rotates signing keys, on schedule and on command. The next key is published before it signs, so that
 * clients fetch it in time. The previous one stays published until its tokens have expired. A leaked key is
 * withdrawn: it is removed at once, and its tokens are invalid.
 */
import { Problem } from '#errors'
import { createBufferedEmitter } from '#memory/buffered-emitter'
import type { WorkReports } from '#memory/work-reports'
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
  /** `kid` of each next key. */
  published: string[]
  /** When they start to sign, in milliseconds since 1970. */
  signsFrom: number
}
export interface Withdrawal {
  /** The withdrawn key. */
  kid: string
  /** `kid` of its successor; empty if another key signs already. */
  published: string[]
  /** When the successor starts to sign, in milliseconds since 1970; undefined without one. */
  signsFrom?: number
}
type RecordChange<Done> = (writer: Writer, done: Done) => Promise<void>

export interface KeyRotation {
  /**
   * Publishes the next keys, which sign in `signsInMs`. Pending keys are reused and sign then, or earlier if
   * already scheduled. `record` runs in the transaction; it is not called if nothing changes.
   */
  rotate(signsInMs: number, record: RecordChange<Rotation>): Promise<Rotation>
  /**
   * Removes the key. This node rejects its signatures when the promise resolves, others within a second. A
   * signing key is replaced by another of its algorithm at once, a pending one on its schedule, at least
   * {@link publishedBeforeUseMs} after publication. A retired one needs no successor. `record` runs in the
   * transaction. Returns undefined for an unknown key. Throws `unavailable` if it is removed but this node
   * could not reload yet.
   */
  withdraw(kid: string, record: RecordChange<Withdrawal>): Promise<Withdrawal | undefined>
  /** Calls `listener` with every change made by this process, including earlier ones. */
  onKeyChange(listener: (done: Rotation | Withdrawal) => void): void
  close(): void
}

interface Dependencies {
  storage: Storage
  /** 32 bytes. */
  secretKey: Buffer
  accessTokenAlgorithm: 'ES256' | 'EdDSA'
  keyring: Pick<Keyring, 'reload'>
  reports: WorkReports
  /** Age in days at which a key is rotated. */
  days: number | 'off'
}

/** Default for commands: clients refresh their key sets within minutes. */
export const publishedBeforeUseMs = 10 * 60 * 1000
const dayMs = 24 * 60 * 60 * 1000
/** Default for the schedule: not urgent, and some clients cache key sets for a day. */
const scheduledSignsInMs = dayMs
const checkIntervalMs = 60 * 60 * 1000

/** Checks now and every hour whether keys are due; only one node creates the next. */
export const openKeyRotation = ({
  storage,
  secretKey,
  accessTokenAlgorithm,
  keyring,
  reports,
  days,
}: Dependencies): KeyRotation => {
  const algorithms = algorithmsInUse(accessTokenAlgorithm)
  const { emit, listen: onKeyChange } = createBufferedEmitter<Rotation | Withdrawal>()

  const rotate = async (
    signsInMs: number,
    record: RecordChange<Rotation>,
    isWanted: (rows: readonly SigningKeyRow[]) => boolean = () => true,
  ): Promise<{ rotation: Rotation; isNew: boolean } | undefined> => {
    // Before the transaction, because creating an RSA key takes a good part of a second.
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
    // Any algorithm: while that setting is being changed, other nodes may use another one.
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

  let lastCheck: Promise<unknown> = Promise.resolve()
  const checkSchedule = () => {
    // Until a check succeeds, the keys stay in use.
    lastCheck = lastCheck.then(() => reports.run('key-rotation', rotateWhenDue))
  }
  checkSchedule()
  const timer = setInterval(checkSchedule, checkIntervalMs).unref()
  return {
    async rotate(signsInMs, record) {
      const done = await rotate(signsInMs, record)
      if (!done) throw new Error('keys were not rotated although rotation was forced')
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
          `the key ${kid} is withdrawn and other nodes reject it; this node could not reload its keys yet, retries every second, and accepts the key until then`,
          { cause },
        )
      })
      return withdrawal
    },
    onKeyChange,
    close: () => clearInterval(timer),
  }
}

/**
 * Returns the keys to store for a withdrawal: first the successor, the pending key or `newKey`, then those
 * that sign until it does. Empty if no successor is needed. Pure.
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
  // It signs now, so the successor must sign at once.
  if (withdrawn.active_from <= now) return [{ ...next, active_from: now }]
  const signsFrom = Math.max(withdrawn.active_from, next.created_at + publishedBeforeUseMs)
  const replacedKeys = otherKeys.filter(row => row.active_from <= now && (row.retired_at ?? 0) > now)
  return [
    { ...next, active_from: signsFrom },
    ...replacedKeys.map(row => ({ ...row, retired_at: signsFrom })),
  ]
}

/**
 * Returns the rows to store. `newKeys` has a key for each algorithm in use; keys of other algorithms retire.
 * Pure.
 */
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
