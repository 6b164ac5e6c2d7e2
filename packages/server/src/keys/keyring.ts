/**
 * Keys that sign tokens, kept in memory; stored encrypted with AES-256-GCM under the server's key. RS256 signs ID tokens (the OpenID
 * default), or ES256 where an application asks for it; ES256 or EdDSA access tokens. A key's `kid` is its thumbprint (RFC 7638).
 */
import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import type { Storage, Writer } from '#storage/db'
import { listSigningKeys, lockSigningKeys, type SigningKeyRow, saveSigningKey } from '#storage/signing-keys'

export type SigningAlgorithm = 'ES256' | 'EdDSA' | 'RS256'

export interface Keyring {
  /** Public key of this `kid`; undefined: not ours, or gone. From memory, no I/O. */
  verifier(kid: string): { key: KeyObject; alg: SigningAlgorithm } | undefined
  /**
   * Reads the keys anew, at most ten times a second however many ask: another node may have begun to sign with one before this node
   * heard of it.
   */
  reloadForUnknownKid(): Promise<void>
  /** Reads the keys now, and drops what is gone. Throws when the storage does not answer: then it is tried again until it does. */
  reload(): Promise<void>
  /** Private keys for the library: the first of a kind signs, the others are published and verify. */
  privateJwks(): JWK[]
  publicJwks(): JWK[]
  /** A key of 32 bytes for another purpose, the same on every node and after every rotation (RFC 5869). */
  derive(purpose: string): Buffer
  /** Calls `listener` when the set or its order has changed. Returns how to stop. */
  onRotation(listener: () => void): () => void
  /** Tells `log` of reads that fail, once until one succeeds, and of listeners that throw. */
  setLogger(log: KeyringLog): void
  close(): void
}
type KeyringLog = Record<'warn' | 'error', (context: { err: unknown }, message: string) => void>

/** RSA of 2048 bits is the least that RFC 7518, section 3.3, allows, and four times as fast as 4096. */
const rsaBits = 2048
/** The longest lifetime of a token (24 h), and clocks that differ. */
const publishedAfterRetirementMs = 24 * 60 * 60 * 1000 + 60 * 1000
/** Between looks for keys that are not known. */
const reloadIntervalMs = 100
/** After a read that failed. A notice comes once: without another read a key that was withdrawn would be good here for ever. */
const retryMs = 1000
/** The longest wait that setTimeout takes. */
const timerMsMax = 2 ** 31 - 1

interface Dependencies {
  storage: Storage
  /** 32 bytes. */
  secretKey: Buffer
  accessTokenAlgorithm: 'ES256' | 'EdDSA'
}

/** RS256 and ES256 for ID tokens, as each application asks; the one of access tokens. */
export const algorithmsInUse = (accessTokenAlgorithm: 'ES256' | 'EdDSA'): SigningAlgorithm[] => [
  ...new Set<SigningAlgorithm>(['RS256', 'ES256', accessTokenAlgorithm]),
]

/**
 * Reads the keys, and makes those that are missing. Follows the change feed. Throws when `secretKey` is not the one that the stored
 * keys were encrypted with.
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
  // One after another: an earlier, slower read must not replace what a later one found.
  let reading: Promise<void> = Promise.resolve()
  const reload = () => {
    reading = reading.then(readKeys, readKeys)
    return reading
  }
  const reloadInBackground = () => {
    // The keys known so far go on; `readAgain` has seen to the next read.
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
        log.warn({ err }, 'the signing keys cannot be read: those known so far go on')
      }
      throw err
    }
    hasWarned = false
    scheduleNextChange()
    if (ring.order !== previousOrder) for (const listener of listeners) notify(listener)
  }
  /** What one cannot do must not keep the others from hearing of it. */
  const notify = (listener: () => void) => {
    try {
      listener()
    } catch (err) {
      log?.error({ err }, 'the signing keys have changed, and a part goes on with those of before')
    }
  }
  scheduleNextChange()
  // Strangers choose how often is asked: one look is under way at most, and one waits for it.
  let lastReloadMs = Number.NEGATIVE_INFINITY
  let pendingReload: Promise<void> = Promise.resolve()
  let isReloadWaiting = false
  const reloadThrottled = async (previousReload: Promise<void>) => {
    await previousReload
    await wait(Math.max(0, lastReloadMs + reloadIntervalMs - performance.now()))
    // Who asks from here on may ask for what this look does not find yet.
    isReloadWaiting = false
    lastReloadMs = performance.now()
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

/** A key of 32 bytes for one purpose (RFC 5869). */
export const deriveKey = (secretKey: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', `querent ${purpose}`, 32))

/**
 * The first keys of a storage, and what `alongside` writes, in one transaction: all of it is there, or nothing. By what is encrypted with
 * it another key is told at the first start. Throws when `secretKey` is not the one of keys that are there already.
 */
export const writeFirstKeys = async (
  { storage, secretKey, accessTokenAlgorithm }: Dependencies,
  alongside: (writer: Writer) => Promise<unknown>,
): Promise<void> =>
  makeMissingKeys(storage, secretKey, algorithmsInUse(accessTokenAlgorithm), async writer => {
    readRing(await listSigningKeys(writer.db), secretKey, Date.now())
    await alongside(writer)
  })

/** Makes a key of each algorithm that has none which signs. Nodes that start together end with one set. */
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
  // Before the transaction: making an RSA key takes a good part of a second.
  const newKeys = await Promise.all(missingAlgorithms.map(alg => makeKey(alg, secretKey)))
  await storage.write(async writer => {
    await lockSigningKeys(writer, storage.kind)
    const stillMissing = findMissing(await listSigningKeys(writer.db))
    for (const row of newKeys)
      if (stillMissing.some(alg => alg === row.alg)) await saveSigningKey(writer, row)
    await alongside?.(writer)
  })
}

/** A new key that signs from now on; not stored yet. */
export const makeKey = async (alg: SigningAlgorithm, secretKey: Buffer): Promise<SigningKeyRow> => {
  const { privateKey } = await generateKeyPair(alg, { extractable: true, modulusLength: rsaBits })
  const jwk = await exportJWK(privateKey)
  const kid = await calculateJwkThumbprint(jwk)
  // A command would take it for an option.
  if (kid.startsWith('-')) return makeKey(alg, secretKey)
  const now = Date.now()
  return {
    kid,
    alg,
    encrypted_jwk: encrypt(JSON.stringify(jwk), secretKey, kid),
    created_at: now,
    active_from: now,
    retired_at: null,
  }
}

/** When the key is published no more, in milliseconds since 1970. */
const getExpiry = ({ retired_at }: SigningKeyRow): number =>
  retired_at === null ? Number.POSITIVE_INFINITY : retired_at + publishedAfterRetirementMs
export const isExpired = (row: SigningKeyRow, now: number): boolean => getExpiry(row) <= now

/** Which keys there are now, who signs first; and when that next changes by itself. Pure. */
const readRing = (rows: readonly SigningKeyRow[], secretKey: Buffer, now: number) => {
  const published = rows.filter(row => !isExpired(row, now)).toSorted((a, b) => rank(a, now) - rank(b, now))
  const keys = published.map(row => {
    const alg = readAlgorithm(row)
    // Written by `makeKey` alone; the cipher vouches that it is unchanged.
    const jwk = JSON.parse(decrypt(row.encrypted_jwk, secretKey, row.kid)) as JWK
    return { ...jwk, kid: row.kid, alg, use: 'sig' }
  })
  const verifiers = new Map(
    keys.map(jwk => [jwk.kid, { key: createPublicKey({ key: { ...jwk }, format: 'jwk' }), alg: jwk.alg }]),
  )
  const changeTimes = rows
    .flatMap(row => [row.active_from, row.retired_at ?? now, getExpiry(row)])
    .filter(at => at > now && Number.isFinite(at))
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

/** Signing keys first, the newest of them foremost; then those to come; then the retired. */
const rank = (row: SigningKeyRow, now: number): number => {
  if (row.retired_at !== null && row.retired_at <= now) return 3e15 - row.retired_at
  if (row.active_from > now) return 1e15 + row.active_from
  return -row.active_from
}

/** Throws for one of a later version. */
export const readAlgorithm = ({ alg, kid }: SigningKeyRow): SigningAlgorithm => {
  if (alg === 'RS256' || alg === 'ES256' || alg === 'EdDSA') return alg
  throw new Error(`signing key ${kid} is of the algorithm ${alg}, which this version does not know`)
}

/** `iv.tag.ciphertext`, base64url. The kid is bound in, so that stored keys cannot be exchanged for each other. */
const encrypt = (text: string, secretKey: Buffer, kid: string): string => {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', secretKey, iv).setAAD(Buffer.from(kid))
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return [iv, cipher.getAuthTag(), ciphertext].map(part => part.toString('base64url')).join('.')
}

const decrypt = (stored: string, secretKey: Buffer, kid: string): string => {
  const [iv, tag, ciphertext] = stored.split('.').map(part => Buffer.from(part, 'base64url'))
  try {
    if (!iv || !tag || !ciphertext) throw new Error('it is not of the form iv.tag.ciphertext')
    const decipher = createDecipheriv('aes-256-gcm', secretKey, iv, { authTagLength: 16 })
    decipher.setAAD(Buffer.from(kid)).setAuthTag(tag)
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8')
  } catch (cause) {
    throw new Error(
      'the signing keys in the storage cannot be decrypted: they were encrypted with another key. Give the same QUERENT_KEY, or put back the key file beside the data',
      { cause },
    )
  }
}
