/** What is well with the server and what is not, for `querent doctor`: as this process sees it. What only a client sees, the client adds. */
import { statfs } from 'node:fs/promises'
import type { HealthCheck } from '@querent/contract/manage'
import type { GenerationInfo } from '#engines/engine'
import { algorithmsInUse } from '#keys/keyring'
import { lastDoneAt } from '#storage/audit'
import { databaseTime, type Storage } from '#storage/db'
import { listCollections } from '#storage/generations'
import { migrationNames } from '#storage/migrate'
import { listSigningKeys, type SigningKeyRow } from '#storage/signing-keys'
import type { Call, Handler, ManagementDependencies } from './call.ts'
import { createOpenBudget } from './open-budget.ts'

const secondMs = 1000
const dayMs = 24 * 60 * 60 * secondMs

export const diagnosisHandlers = {
  diagnose: async (deps, { arrival, query }) => {
    const { baseUrl, authUrl, diagnostics } = deps
    const checks: HealthCheck[] = [
      ...(await storedChecks(deps).catch(() => [storageAway])),
      await diskCheck(diagnostics.data),
      mailCheck(diagnostics.canMail),
      proxyCheck(arrival, { authUrl, isTrusted: deps.isTrustedProxy(arrival.peer) }),
    ]
    if (query.allNodes !== 'true') return { baseUrl, authUrl, checks }
    return { baseUrl, authUrl, checks, nodes: await deps.nodes.list() }
  },
} satisfies { diagnose: Handler<'diagnose'> }

/**
 * What a node finds out about itself without opening a collection: its storage, clock, engine and disk. A node with an authorization
 * server, which has `signing`, also looks at the keys.
 */
export const readNodeChecks = async (
  storage: Storage,
  { ping, data }: Pick<ManagementDependencies['diagnostics'], 'ping' | 'data'>,
  signing: Parameters<typeof keyCheck>[1] | undefined,
): Promise<HealthCheck[]> => {
  const readStored = async () => [
    ...(await storageChecks(storage)),
    ...(signing ? [keyCheck(await listSigningKeys(storage.db), signing, Date.now())] : []),
  ]
  return [
    ...(await readStored().catch(() => [storageAway])),
    await engineReachable({ ping }),
    await diskCheck(data),
  ]
}

/** Those that ask the storage. */
const storedChecks = async (deps: ManagementDependencies): Promise<HealthCheck[]> => {
  const { storage, diagnostics } = deps
  const { db } = storage
  const now = Date.now()
  return [
    ...(await storageChecks(storage)),
    keyCheck(await listSigningKeys(db), diagnostics, now),
    await checkEngine(diagnostics, async () => {
      const states: CollectionState[] = []
      const mayOpen = createOpenBudget()
      // One after another: those that nobody has used since the start are opened for this.
      for (const entry of await listCollections(db))
        states.push({ ...entry, info: await readGenerationInfo(deps, entry, mayOpen) })
      return states
    }),
    backupCheck(await lastDoneAt(db, 'makeBackup'), now),
  ]
}

const storageAway: HealthCheck = {
  name: 'storage',
  state: 'fail',
  message: 'the storage does not answer; keys, collections and backups were not looked at',
  advice:
    'is the database running, and can the server reach it? What is known goes on for staleSeconds, then the answer is 503',
}

/** What the server's parts allow each other's clocks (token-checks.ts), and where one begins to look. */
const clockFailMs = 60 * secondMs
const clockWarnMs = 5 * secondMs
/** A revocation reaches every node within a second; twice that is late. */
const feedLateMs = 2 * secondMs

const storageChecks = async (storage: Storage): Promise<HealthCheck[]> => {
  const kind = storage.kind === 'postgres' ? 'PostgreSQL' : 'SQLite'
  const startedAt = Date.now()
  const time = await databaseTime(storage)
  const endedAt = Date.now()
  const silentMs = storage.silentMs()
  const version = `${kind} answers in ${endedAt - startedAt} ms, its tables are those of ${migrationNames.at(-1)}`
  const check: HealthCheck =
    silentMs > feedLateMs
      ? {
          name: 'storage',
          state: 'warn',
          message: `${version}; its change feed was last heard ${Math.round(silentMs / secondMs)} s ago`,
          advice: `look at the load of ${kind} and at the network: removed members may be let through until the feed is heard`,
        }
      : { name: 'storage', state: 'ok', message: `${version}, its change feed is heard` }
  return time === undefined ? [check] : [check, clockCheck(time - (startedAt + endedAt) / 2)]
}

/** `differenceMs`: how far the database's clock is ahead of this process's. */
export const clockCheck = (differenceMs: number): HealthCheck => {
  const seconds = Math.abs(differenceMs / secondMs).toFixed(1)
  const message = `the database's clock is ${seconds} s ${differenceMs < 0 ? 'behind' : 'ahead of'} the server's`
  const advice = 'let both machines take their time from the same NTP server; tokens allow 60 s'
  const isFar = Math.abs(differenceMs) > clockFailMs
  return Math.abs(differenceMs) > clockWarnMs
    ? { name: 'clock', state: isFar ? 'fail' : 'warn', message, advice }
    : { name: 'clock', state: 'ok', message }
}

/** Every algorithm in use has a key that signs, no older than the settings let it be. */
export const keyCheck = (
  rows: readonly SigningKeyRow[],
  {
    accessTokenAlgorithm,
    keyRotationDays,
  }: Pick<ManagementDependencies['diagnostics'], 'accessTokenAlgorithm' | 'keyRotationDays'>,
  now: number,
): HealthCheck => {
  const signing = algorithmsInUse(accessTokenAlgorithm).map(alg => ({
    alg,
    row: rows.findLast(
      row => row.alg === alg && row.active_from <= now && (row.retired_at ?? Infinity) > now,
    ),
  }))
  const missing = signing.filter(({ row }) => row === undefined).map(({ alg }) => alg)
  if (missing.length > 0)
    return {
      name: 'keys',
      state: 'fail',
      message: `no key signs with ${missing.join(', ')}`,
      advice: 'restart the server, which makes the missing keys',
    }
  const next = rows.filter(row => row.active_from > now)
  const ageDays = Math.floor(Math.max(...signing.map(({ row }) => (now - (row?.active_from ?? now)) / dayMs)))
  const message = `${signing.length} keys sign, the oldest for ${days(ageDays)}; ${
    next.length === 0
      ? 'none is to follow yet'
      : `the next are published and sign from ${new Date(Math.min(...next.map(row => row.active_from))).toISOString()}`
  }`
  if (keyRotationDays !== 'off' && ageDays > keyRotationDays + 2)
    return {
      name: 'keys',
      state: 'fail',
      message,
      advice: `keys were to rotate after ${keyRotationDays} days: run \`querent keys rotate\`, and look in the log why it did not happen`,
    }
  if (keyRotationDays === 'off' && ageDays > 365)
    return {
      name: 'keys',
      state: 'warn',
      message,
      advice: 'run `querent keys rotate`, or set keyRotationDays',
    }
  return { name: 'keys', state: 'ok', message }
}

const days = (number: number): string => (number === 1 ? '1 day' : `${number} days`)

interface CollectionState {
  workspace: string
  collection: string
  /** Undefined: none answers. */
  info: GenerationInfo | 'unopened' | undefined
}

const readGenerationInfo = (
  { diagnostics }: ManagementDependencies,
  { workspaceId, collection }: { workspaceId: string; collection: string },
  mayOpen: () => boolean,
): Promise<CollectionState['info']> =>
  // What cannot be opened is told as not ready.
  diagnostics.live(workspaceId, collection, mayOpen).catch(() => undefined)

/** Collections that a message names; the others are counted. */
const namedMax = 5
const nameCollections = (states: readonly CollectionState[]): string => {
  const names = states.slice(0, namedMax).map(({ workspace, collection }) => `${workspace}/${collection}`)
  return states.length > namedMax
    ? `${names.join(', ')} and ${states.length - namedMax} more`
    : names.join(', ')
}

const pingMs = 2 * secondMs

/** An engine elsewhere is asked whether it is there: what is known of its generations is from memory. Throws when the storage does not answer. */
export const checkEngine = async (
  diagnostics: Pick<ManagementDependencies['diagnostics'], 'ping'>,
  collections: () => Promise<CollectionState[]>,
): Promise<HealthCheck> => {
  const reachable = await engineReachable(diagnostics)
  return reachable.state === 'ok' ? engineCheck(await collections()) : reachable
}

const engineReachable = async ({
  ping,
}: Pick<ManagementDependencies['diagnostics'], 'ping'>): Promise<HealthCheck> => {
  const failure = await (ping?.(pingMs) ?? Promise.resolve()).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  if (failure === undefined) return { name: 'engine', state: 'ok', message: 'the engine answers' }
  return {
    name: 'engine',
    state: 'fail',
    message: `the engine does not answer: ${failure}`,
    advice:
      'is OpenSearch running, and can the server reach it? Queries and documents get 503 until it is back',
  }
}

/** Every collection has a generation that answers. */
export const engineCheck = (states: readonly CollectionState[]): HealthCheck => {
  const notReady = states.filter(({ info }) => info === undefined)
  const infos = states.map(({ info }) => info).filter(info => info !== undefined && info !== 'unopened')
  const rebuilding = states.filter(({ info }) => info && info !== 'unopened' && info.state !== 'ready')
  const documents = infos.reduce((sum, info) => sum + info.documents, 0)
  const unopened = states.length - notReady.length - infos.length
  const openedCount = states.length - unopened
  const summary = `${documents} documents in ${openedCount} ${openedCount === 1 ? 'collection' : 'collections'}`
  const message = unopened === 0 ? summary : `${summary}, ${unopened} more not opened yet`
  if (notReady.length > 0)
    return {
      name: 'engine',
      state: 'fail',
      message: `${message}; not ready: ${nameCollections(notReady)}`,
      advice: 'look in the log for what the engine says of them; restart the server when it says nothing',
    }
  if (rebuilding.length > 0)
    return {
      name: 'engine',
      state: 'warn',
      message: `${message}; being rebuilt: ${nameCollections(rebuilding)}`,
      advice: 'wait: they answer 503 until their index is built again from their documents',
    }
  return {
    name: 'engine',
    state: 'ok',
    message: `${message}, ${unopened === 0 ? 'all' : 'those opened are'} ready`,
  }
}

const gibibyte = 1024 ** 3
const diskFailBytes = gibibyte / 4
const diskWarnBytes = 2 * gibibyte

const diskCheck = async (data: string): Promise<HealthCheck> => {
  try {
    const { bavail, bsize } = await statfs(data)
    return diskSpaceCheck(bavail * bsize, data)
  } catch (error) {
    return {
      name: 'disk',
      state: 'fail',
      message: `the data folder ${data} cannot be read (${error instanceof Error ? error.message : String(error)})`,
      advice: 'put it back, with its file system mounted, and restart the server',
    }
  }
}

/** `freeBytes`: where the data folder is. */
export const diskSpaceCheck = (freeBytes: number, data: string): HealthCheck => {
  const message = `${(freeBytes / gibibyte).toFixed(1)} GiB are free for ${data}`
  const advice = 'make room: on a full disk every change is refused with 503'
  if (freeBytes > diskWarnBytes) return { name: 'disk', state: 'ok', message }
  return { name: 'disk', state: freeBytes > diskFailBytes ? 'warn' : 'fail', message, advice }
}

const backupWarnDays = 7

/** `at`: when the last one was made. */
export const backupCheck = (at: number | null, now: number): HealthCheck => {
  const advice = 'make one with `querent backup FILE`, daily, and keep it on another machine'
  if (at === null)
    return { name: 'backup', state: 'warn', message: 'no backup was made with `querent backup`', advice }
  const message = `the last backup was begun at ${new Date(at).toISOString()}`
  return now - at > backupWarnDays * dayMs
    ? { name: 'backup', state: 'warn', message, advice }
    : { name: 'backup', state: 'ok', message }
}

const mailCheck = (canMail: boolean): HealthCheck =>
  canMail
    ? { name: 'mail', state: 'ok', message: 'a mail server is set' }
    : {
        name: 'mail',
        state: 'warn',
        message: 'no mail server is set: invitations and password links are copied by hand',
        advice: 'set QUERENT_SMTP_URL and mailFrom, or leave it so where few people sign in',
      }

/** Whether what proxies say of the request that asks fits the settings. */
export const proxyCheck = (
  { peer, headers }: Call['arrival'],
  { authUrl, isTrusted }: { authUrl: string; isTrusted: boolean },
): HealthCheck => {
  const { protocol, host } = new URL(authUrl)
  const forwarded = headers['x-forwarded-for'] ?? headers.forwarded
  const makeWarning = (message: string, advice: string): HealthCheck => ({
    name: 'proxy',
    state: 'warn',
    message,
    advice,
  })
  if (forwarded !== undefined && !isTrusted)
    return makeWarning(
      `a proxy at ${peer} says for whom it asks, and is not believed: everybody has its address, for limits and the audit log`,
      `name ${peer} in trustedProxy, when that is your proxy`,
    )
  // The server speaks HTTP alone: whoever asks by https came through a proxy.
  if (forwarded === undefined && protocol === 'https:')
    return makeWarning(
      `the request came from ${peer} without X-Forwarded-For: everybody has the proxy's address, for limits and the audit log`,
      'let the proxy send X-Forwarded-For, and name it in trustedProxy',
    )
  if (headers.host !== undefined && headers.host !== host)
    return makeWarning(
      `the request was for ${JSON.stringify(headers.host.slice(0, 255))}, and authUrl is ${authUrl}`,
      'let the proxy pass Host as it came',
    )
  const proto = headers['x-forwarded-proto']
  if (proto !== undefined && `${String(proto)}:` !== protocol)
    return makeWarning(
      `the proxy says that it was asked by ${JSON.stringify(String(proto).slice(0, 20))}, and authUrl is ${authUrl}`,
      'redirect http to https at the proxy, or correct its X-Forwarded-Proto',
    )
  return {
    name: 'proxy',
    state: 'ok',
    message:
      forwarded === undefined
        ? 'the request came without a proxy'
        : `the proxy at ${peer} is believed, and passes Host and X-Forwarded-For`,
  }
}
