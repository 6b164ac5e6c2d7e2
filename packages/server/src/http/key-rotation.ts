/**
 * Signing keys follow one another, on schedule and by command. The next key is published first and signs from a later moment, so that
 * whoever keeps our key set has it by then; the one before is published until its tokens are gone (authorization-server.md, Tokens).
 */
import type { Storage, Writer } from '#storage/db'
import {
  listSigningKeys,
  lockSigningKeys,
  removeSigningKey,
  type SigningKeyRow,
  saveSigningKey,
} from '#storage/signing-keys'
import { algorithmsInUse, makeKey, publishedAfterRetirementMs } from './keyring.ts'

export interface Rotation {
  /** `kid` of each key that signs next. */
  published: string[]
  /** When they begin to sign, milliseconds since 1970. */
  signsFrom: number
}

export interface KeyRotation {
  /**
   * Publishes the next keys; they sign in `signsInMs`. Keys that wait for their turn already are not followed by others: they sign
   * then, or earlier as was settled before. `record` is part of the transaction.
   */
  rotate(signsInMs: number, record: (writer: Writer, rotation: Rotation) => Promise<void>): Promise<Rotation>
  /** Told of those that this process made, by command or on schedule. */
  onRotated: (rotation: Rotation) => void
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
    record: (writer: Writer, rotation: Rotation) => Promise<void>,
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
    if (rotation) keyRotation.onRotated(rotation)
  }
  const keyRotation: KeyRotation = {
    async rotate(signsInMs, record) {
      const rotation = await rotate(signsInMs, record)
      if (!rotation) throw new Error('keys were not rotated although nothing was to be waited for')
      keyRotation.onRotated(rotation)
      return rotation
    },
    onRotated: () => {},
    close: () => clearInterval(timer),
  }
  let looking: Promise<unknown> = Promise.resolve()
  const look = () => {
    // Storage that is away: the keys go on, the next look tries again.
    looking = looking.then(rotateWhenDue).catch(() => {})
  }
  look()
  const timer = setInterval(look, lookEveryMs).unref()
  return keyRotation
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
  const isGone = (row: SigningKeyRow) =>
    row.retired_at !== null && row.retired_at + publishedAfterRetirementMs < now
  return { save: [...next, ...followed], remove: rows.filter(isGone).map(({ kid }) => kid), rotation }
}
