/**
 * Signing keys in memory; stored encrypted (signing-key-cipher.ts). RS256 (the OpenID
 * default) or ES256 signs ID tokens, as the application chooses; ES256 or EdDSA signs access tokens. `kid` is
 * the thumbprint (RFC 7638).
 */
import { createPublicKey, hkdfSync, type KeyObject } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import type { Storage, Writer } from '#storage/db'
import { listSigningKeys, lockSigningKeys, type SigningKeyRow, saveSigningKey } from '#storage/signing-keys'
import { decryptSigningKey, encryptSigningKey } from './signing-key-cipher.ts'

export type SigningAlgorithm = 'ES256' | 'EdDSA' | 'RS256'

export interface Keyring {
  /** Returns the public key of this `kid` from memory; undefined if it is not ours or was removed. */
  verifier(kid: string): { key: KeyObject; alg: SigningAlgorithm } | undefined
  /**
   * Reloads the keys, at most ten times a second: another node may sign with a key before this node hears of
   * it.
   */
  reloadForUnknownKid(): Promise<void>
  /**
   * Reloads the keys and drops removed ones. Throws if the storage does not answer; retries until it does.
   */
  reload(): Promise<void>
  /**
   * Private keys for the library. The first of each algorithm signs, the others are published for
   * verification.
   */
  privateJwks(): JWK[]
  publicJwks(): JWK[]
  /** Derives a 32-byte key for another purpose, the same on every node and after rotations (RFC 5869). */
  derive(purpose: string): Buffer
  /** Calls `listener` when the keys or their order change. Returns a function that stops it. */
  onRotation(listener: () => void): () => void
  /** Logs failed reads, once until the next success, and listeners that throw. */
  setLogger(log: KeyringLog): void
  close(): void
}
type KeyringLog = Record<'warn' | 'error', (context: { err: unknown }, message: string) => void>

/** The minimum of RFC 7518, section 3.3, and four times as fast as 4096 bits. */
const rsaBits = 2048
/** Longest lifetime of a token (24 h) plus the difference of clocks. */
const publishedAfterRetirementMs = 24 * 60 * 60 * 1000 + 60 * 1000
/** Interval between reloads for unknown keys. */
const reloadIntervalMs = 100
/**
 * Delay after a failed read. A notice comes only once, so without a retry a withdrawn key would stay valid
 * here.
 */
const retryMs = 1000
/** Maximum delay of setTimeout. */
const timerMsMax = 2 ** 31 - 1

interface Dependencies {
  storage: Storage
  /** 32 bytes. */
  secretKey: Buffer
  accessTokenAlgorithm: 'ES256' | 'EdDSA'
}

/** RS256 and ES256 for ID tokens, as applications choose, and the algorithm of access tokens. */
export const algorithmsInUse = (accessTokenAlgorithm: 'ES256' | 'EdDSA'): SigningAlgorithm[] => [
  ...new Set<SigningAlgorithm>(['RS256', 'ES256', accessTokenAlgorithm]),
]

/**
 * Loads the keys, creates missing ones, and follows the change feed. Throws if `secretKey` cannot decrypt the
 * stored keys.
 */
export const openKeyring = async ({
  storage,
  secretKey,
  accessTokenAlgorithm,
}: Dependencies): Promise<Keyring> => {
  await makeMissingKeys(storage, secretKey, algorithmsInUse(accessTokenAlgorithm))

  const listeners = new Set<() => void>()
  let ring = readRing(await listSigningKeys(storage.db), secretKey, Date.now())
  let log: KeyringLog | undefined
  let hasWarned = false
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  const scheduleReload = (ms: number) => {
    clearTimeout(timer)
    if (!isClosed) timer = setTimeout(reloadInBackground, Math.min(ms, timerMsMax)).unref()
  }
  const scheduleNextChange = () => {
    clearTimeout(timer)
    if (ring.changesAt !== undefined) scheduleReload(Math.max(ring.changesAt - Date.now(), 0) + 1)
  }
  // Serialized, so that a slow earlier read cannot replace a later result.
  let reading: Promise<void> = Promise.resolve()
  const reload = () => {
    reading = reading.then(readKeys, readKeys)
    return reading
  }
  const reloadInBackground = () => {
    // The current keys stay in use; `readKeys` has scheduled a retry.
    reload().catch(() => {})
  }
  const readKeys = async () => {
    const previousOrder = ring.order
    try {
      ring = readRing(await listSigningKeys(storage.db), secretKey, Date.now())
    } catch (err) {
      scheduleReload(retryMs)
      if (!hasWarned && log && !isClosed) {
        hasWarned = true
        log.warn({ err }, 'the signing keys cannot be read: the current keys stay in use')
      }
      throw err
    }
    hasWarned = false
    scheduleNextChange()
    if (ring.order !== previousOrder) for (const listener of listeners) notify(listener)
  }
  /** A failing listener must not keep others from being notified. */
  const notify = (listener: () => void) => {
    try {
      listener()
    } catch (err) {
      log?.error({ err }, 'the signing keys have changed, but a component still uses the old ones')
    }
  }
  scheduleNextChange()
  // Strangers trigger these reloads: at most one is running and one waiting.
  let lastReloadMs = Number.NEGATIVE_INFINITY
  let pendingReload: Promise<void> = Promise.resolve()
  let isReloadWaiting = false
  const reloadThrottled = async (previousReload: Promise<void>) => {
    await previousReload
    await wait(Math.max(0, lastReloadMs + reloadIntervalMs - performance.now()))
    // Later requests may ask for a key that this reload misses.
    isReloadWaiting = false
    lastReloadMs = performance.now()
    // `readKeys` has scheduled a retry.
    await reload().catch(() => {})
  }
  const stopListening = storage.onChange(({ topic }) => {
    if (topic === 'keys') reloadInBackground()
  })

  return {
    verifier: kid => ring.verifiers.get(kid),
    reloadForUnknownKid() {
      if (!isReloadWaiting) {
        isReloadWaiting = true
        pendingReload = reloadThrottled(pendingReload)
      }
      return pendingReload
    },
    reload,
    privateJwks: () => ring.privateJwks.map(jwk => ({ ...jwk })),
    publicJwks: () => ring.publicJwks.map(jwk => ({ ...jwk })),
    derive: purpose => deriveKey(secretKey, purpose),
    onRotation(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    setLogger(logger) {
      log = logger
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      stopListening()
      listeners.clear()
    },
  }
}

/** Derives a 32-byte key for one purpose (RFC 5869). */
export const deriveKey = (secretKey: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', `querent ${purpose}`, 32))

/**
 * Creates the first keys of a storage and runs `alongside` in the same transaction. Something encrypted
 * exists from the start, so a different key is detected. Throws if `secretKey` does not match existing keys.
 */
export const writeFirstKeys = async (
  { storage, secretKey, accessTokenAlgorithm }: Dependencies,
  alongside: (writer: Writer) => Promise<unknown>,
): Promise<void> =>
  makeMissingKeys(storage, secretKey, algorithmsInUse(accessTokenAlgorithm), async writer => {
    readRing(await listSigningKeys(writer.db), secretKey, Date.now())
    await alongside(writer)
  })

/** Creates a key for each algorithm without a signing key. Nodes that start together end up with one set. */
const makeMissingKeys = async (
  storage: Storage,
  secretKey: Buffer,
  algorithms: readonly SigningAlgorithm[],
  alongside?: (writer: Writer) => Promise<void>,
): Promise<void> => {
  const findMissing = (rows: readonly SigningKeyRow[]) =>
    algorithms.filter(alg => !rows.some(row => row.alg === alg && row.retired_at === null))
  const missingAlgorithms = findMissing(await listSigningKeys(storage.db))
  if (missingAlgorithms.length === 0 && !alongside) return
  // Before the transaction, because creating an RSA key takes a good part of a second.
  const newKeys = await Promise.all(missingAlgorithms.map(alg => makeKey(alg, secretKey)))
  await storage.write(async writer => {
    await lockSigningKeys(writer, storage.kind)
    const stillMissing = findMissing(await listSigningKeys(writer.db))
    for (const row of newKeys)
      if (stillMissing.some(alg => alg === row.alg)) await saveSigningKey(writer, row)
    await alongside?.(writer)
  })
}

/** Creates a key that signs from now on, without storing it. */
export const makeKey = async (alg: SigningAlgorithm, secretKey: Buffer): Promise<SigningKeyRow> => {
  const { privateKey } = await generateKeyPair(alg, { extractable: true, modulusLength: rsaBits })
  const jwk = await exportJWK(privateKey)
  const kid = await calculateJwkThumbprint(jwk)
  // Command lines would read it as an option.
  if (kid.startsWith('-')) return makeKey(alg, secretKey)
  const now = Date.now()
  return {
    kid,
    alg,
    encrypted_jwk: encryptSigningKey(JSON.stringify(jwk), secretKey, kid),
    created_at: now,
    active_from: now,
    retired_at: null,
  }
}

/** When the key is no longer published, in milliseconds since 1970. */
const getExpiry = ({ retired_at }: SigningKeyRow): number =>
  retired_at === null ? Number.POSITIVE_INFINITY : retired_at + publishedAfterRetirementMs
export const isExpired = (row: SigningKeyRow, now: number): boolean => getExpiry(row) <= now

/** Computes the current keys, their order, and the next change. Pure. */
const readRing = (rows: readonly SigningKeyRow[], secretKey: Buffer, now: number) => {
  const published = rows.filter(row => !isExpired(row, now)).toSorted((a, b) => rank(a, now) - rank(b, now))
  const keys = published.map(row => {
    const alg = readAlgorithm(row)
    // Written only by `makeKey`; the cipher authenticates it.
    const jwk = JSON.parse(decryptSigningKey(row.encrypted_jwk, secretKey, row.kid)) as JWK
    return { ...jwk, kid: row.kid, alg, use: 'sig' }
  })
  const verifiers = new Map(
    keys.map(jwk => [jwk.kid, { key: createPublicKey({ key: { ...jwk }, format: 'jwk' }), alg: jwk.alg }]),
  )
  const changeTimes = rows
    .flatMap(row => [row.active_from, row.retired_at ?? now, getExpiry(row)])
    .filter(time => time > now && Number.isFinite(time))
  return {
    privateJwks: keys,
    publicJwks: keys.map(({ kid, alg, use }) => ({
      ...verifiers.get(kid)?.key.export({ format: 'jwk' }),
      kid,
      alg,
      use,
    })),
    verifiers,
    order: keys.map(({ kid }) => kid).join(' '),
    changesAt: changeTimes.length > 0 ? Math.min(...changeTimes) : undefined,
  }
}

/** Sort order: signing keys, newest first, then future keys, then retired ones. */
const rank = (row: SigningKeyRow, now: number): number => {
  if (row.retired_at !== null && row.retired_at <= now) return 3e15 - row.retired_at
  if (row.active_from > now) return 1e15 + row.active_from
  return -row.active_from
}

/** Throws for an algorithm of a later version. */
export const readAlgorithm = ({ alg, kid }: SigningKeyRow): SigningAlgorithm => {
  if (alg === 'RS256' || alg === 'ES256' || alg === 'EdDSA') return alg
  throw new Error(`signing key ${kid} is of the algorithm ${alg}, which this version does not know`)
}
