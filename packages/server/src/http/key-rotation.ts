/**
 * Signing keys follow one another, on schedule and by command. The next key is published first and signs from a later moment, so that
 * whoever keeps our key set has it by then; the one before is published until its tokens are gone (authorization-server.md, Tokens). One
 * that leaked is withdrawn: it is gone at once, and its tokens with it.
 */
import type { Storage, Writer } from '#storage/db'
import {
  listSigningKeys,
  lockSigningKeys,
  removeSigningKey,
  type SigningKeyRow,
  saveSigningKey,
} from '#storage/signing-keys'
import { algorithmsInUse, isGone, makeKey } from './keyring.ts'

export interface Rotation {
  /** `kid` of each key that signs next. */
  published: string[]
  /** When they begin to sign, milliseconds since 1970. */
  signsFrom: number
}
type Recording = (writer: Writer, rotation: Rotation) => Promise<void>

export interface KeyRotation {
  /**
   * Publishes the next keys; they sign in `signsInMs`. Keys that wait for their turn already are not followed by others: they sign
   * then, or earlier as was settled before. `record` is part of the transaction.
   */
  rotate(signsInMs: number, record: Recording): Promise<Rotation>
  /**
   * Removes the key: what it signed is refused from then on, by other nodes within a second. Where it signs, another of its algorithm
   * signs now; where it was to sign, another will in its place. Nothing is published in place of one that was followed already.
   * `record` is part of the transaction. Undefined: there is no such key.
   */
  withdraw(kid: string, record: Recording): Promise<Rotation | undefined>
  /** Tells `listener` of rotations that this process made, by command or on schedule; of those before this call at once. */
  onRotated(listener: (rotation: Rotation) => void): void
  close(): void
}

interface Dependencies {
  storage: Storage
  /** 32 bytes. */
  secretKey: Buffer
  accessTokenAlgorithm: 'ES256' | 'EdDSA'
  /** Age in days at which a key is followed by the next. */
  days: number | 'off'
}

const dayMs = 24 * 60 * 60 * 1000
/** Nothing is urgent about it, and some keep key sets for a day. */
const scheduledSignsInMs = dayMs
const lookEveryMs = 60 * 60 * 1000

/** Looks now and every hour whether a key is due; of several nodes one makes the next. */
export const openKeyRotation = ({
  storage,
  secretKey,
  accessTokenAlgorithm,
  days,
}: Dependencies): KeyRotation => {
  const algorithms = algorithmsInUse(accessTokenAlgorithm)

  const rotate = async (
    signsInMs: number,
    record: Recording,
    isWanted: (rows: readonly SigningKeyRow[]) => boolean = () => true,
  ): Promise<Rotation | undefined> => {
    // Before the transaction: making an RSA key takes a good part of a second.
    const made = await Promise.all(algorithms.map(alg => makeKey(alg, secretKey)))
    return storage.write(async writer => {
      await lockSigningKeys(writer, storage.kind)
      const rows = await listSigningKeys(writer.db)
      if (!isWanted(rows)) return undefined
      const { save, remove, rotation } = plan(rows, made, Date.now(), signsInMs)
      for (const row of save) await saveSigningKey(writer, row)
      for (const kid of remove) await removeSigningKey(writer, kid)
      await record(writer, rotation)
      return rotation
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
    const rotation = await rotate(scheduledSignsInMs, async () => {}, isDue)
    if (rotation) tell(rotation)
  }

  const withdraw = async (kid: string, record: Recording): Promise<Rotation | undefined> => {
    const known = (await listSigningKeys(storage.db)).find(row => row.kid === kid)
    const alg = algorithms.find(each => each === known?.alg)
    const fresh = alg && (await makeKey(alg, secretKey))
    return storage.write(async writer => {
      await lockSigningKeys(writer, storage.kind)
      const rows = await listSigningKeys(writer.db)
      const withdrawn = rows.find(row => row.kid === kid)
      if (!withdrawn || isGone(withdrawn, Date.now())) return undefined
      const successor = successorOf(withdrawn, rows, fresh, Date.now())
      if (successor) await saveSigningKey(writer, successor)
      await removeSigningKey(writer, kid)
      const rotation: Rotation = {
        published: successor ? [successor.kid] : [],
        signsFrom: successor?.active_from ?? Date.now(),
      }
      await record(writer, rotation)
      return rotation
    })
  }

  // At the start, before there is who writes them to the log.
  const untold: Rotation[] = []
  let tell = (rotation: Rotation): void => void untold.push(rotation)
  let looking: Promise<unknown> = Promise.resolve()
  const look = () => {
    // Storage that is away: the keys go on, the next look tries again.
    looking = looking.then(rotateWhenDue).catch(() => {})
  }
  look()
  const timer = setInterval(look, lookEveryMs).unref()
  return {
    async rotate(signsInMs, record) {
      const rotation = await rotate(signsInMs, record)
      if (!rotation) throw new Error('keys were not rotated although nothing was to be waited for')
      tell(rotation)
      return rotation
    },
    async withdraw(kid, record) {
      const rotation = await withdraw(kid, record)
      if (rotation && rotation.published.length > 0) tell(rotation)
      return rotation
    },
    onRotated(listener) {
      tell = listener
      for (const rotation of untold.splice(0)) listener(rotation)
    },
    close: () => clearInterval(timer),
  }
}

/** What signs in the place of a key that is withdrawn, from now or when that was to: the next if there is one, else `fresh`. Pure. */
const successorOf = (
  withdrawn: SigningKeyRow,
  rows: readonly SigningKeyRow[],
  fresh: SigningKeyRow | undefined,
  now: number,
): SigningKeyRow | undefined => {
  if (withdrawn.retired_at !== null && withdrawn.retired_at <= now) return undefined
  const { alg, kid, active_from } = withdrawn
  const next = rows.findLast(row => row.alg === alg && row.kid !== kid && row.active_from > now) ?? fresh
  return next && { ...next, active_from: Math.max(now, active_from) }
}

/** What has to be stored. `made` has a key for each algorithm in use; those of other algorithms retire. Pure. */
const plan = (
  rows: readonly SigningKeyRow[],
  made: readonly SigningKeyRow[],
  now: number,
  signsInMs: number,
) => {
  const next = made.map(fresh => {
    const waiting = rows.findLast(row => row.alg === fresh.alg && row.active_from > now)
    return { ...(waiting ?? fresh), active_from: Math.min(waiting?.active_from ?? Infinity, now + signsInMs) }
  })
  const followed = rows
    .filter(row => row.active_from <= now && (row.retired_at === null || row.retired_at > now))
    .map(row => ({
      ...row,
      retired_at: next.find(({ alg }) => alg === row.alg)?.active_from ?? now + signsInMs,
    }))
  const rotation: Rotation = {
    published: next.map(({ kid }) => kid),
    signsFrom: Math.max(...next.map(row => row.active_from)),
  }
  const gone = rows.filter(row => isGone(row, now))
  return { save: [...next, ...followed], remove: gone.map(({ kid }) => kid), rotation }
}
