/**
 * Health checks for `querent doctor`, from the view of this process. The client adds those that only a client
 * can do.
 */
import type { HealthCheck } from '@querent/contract/manage'
import { EngineError, type GenerationFailure, type GenerationInfo } from '#engines/engine'
import { algorithmsInUse } from '#keys/keyring'
import { databaseTime, type Storage } from '#storage/db'
import { listCollections } from '#storage/generations'
import { readMailBacklog } from '#storage/mails'
import { listSigningKeys, type SigningKeyRow } from '#storage/signing-keys'
import { type LastBackup, readLastBackup } from './backup.ts'
import type { Call, Handler, ManagementDependencies } from './call.ts'
import { createOpenBudget } from './definitions.ts'
import { diskCheck, limitChecks } from './disk-checks.ts'
import { domainsChecks } from './domains-check.ts'
import { emailChecks } from './email-check.ts'
import { formerAddressChecks } from './former-address-check.ts'
import { mailCheck } from './mail-check.ts'
import { secretsChecks } from './secrets-check.ts'

const secondMs = 1000
const dayMs = 24 * 60 * 60 * secondMs

export const diagnosisHandlers = {
  diagnose: async (deps, { arrival, query }) => {
    const { baseUrl, authUrl, diagnostics } = deps
    const checks: HealthCheck[] = [
      ...(await runStorageChecks(deps).catch(() => [storageUnreachable])),
      await diskCheck(diagnostics.data, deps.storage.disk?.()),
      ...limitChecks(diagnostics.limitWarnings),
      mailCheck(
        diagnostics.canMail,
        // Another check says that the storage is away.
        await readMailBacklog(deps.storage.db).catch(() => undefined),
        Date.now(),
      ),
      proxyCheck(arrival, { authUrl, isTrusted: deps.isTrustedProxy(arrival.peer) }),
    ]
    if (query.allNodes !== 'true') return { baseUrl, authUrl, checks }
    return { baseUrl, authUrl, checks, nodes: await deps.nodes.list() }
  },
} satisfies { diagnose: Handler<'diagnose'> }

/**
 * Checks a node without opening collections: storage, clock, engine and disk. A node with an authorization
 * server passes `signing` and also checks the keys.
 */
export const readNodeChecks = async (
  storage: Storage,
  {
    ping,
    data,
    limitWarnings,
  }: Pick<ManagementDependencies['diagnostics'], 'ping' | 'data' | 'limitWarnings'>,
  signing: Parameters<typeof keyCheck>[1] | undefined,
): Promise<HealthCheck[]> => {
  const readStored = async () => [
    ...(await storageChecks(storage)),
    ...(signing ? [keyCheck(await listSigningKeys(storage.db), signing, Date.now())] : []),
  ]
  return [
    ...(await readStored().catch(() => [storageUnreachable])),
    await engineReachable({ ping }),
    await diskCheck(data, storage.disk?.()),
    ...limitChecks(limitWarnings),
  ]
}

/** Runs the checks that need the storage. */
const runStorageChecks = async (deps: ManagementDependencies): Promise<HealthCheck[]> => {
  const { storage, diagnostics } = deps
  const { db } = storage
  const now = Date.now()
  return [
    ...(await storageChecks(storage)),
    keyCheck(await listSigningKeys(db), diagnostics, now),
    await checkEngine(diagnostics, async () => {
      const states: CollectionState[] = []
      const mayOpen = createOpenBudget()
      // One at a time: this opens collections that were not used since the start.
      for (const entry of await listCollections(db))
        states.push({ ...entry, info: await readGenerationInfo(deps, entry, mayOpen) })
      return states
    }),
    backupCheck(await readLastBackup(storage.logs), now),
    ...(await emailChecks(db)),
    ...(await domainsChecks(db)),
    ...secretsChecks(await deps.countUnreadable(db)),
    ...(await formerAddressChecks(db, deps)),
  ]
}

const storageUnreachable: HealthCheck = {
  name: 'storage',
  state: 'fail',
  message: 'the storage does not answer; keys, collections and backups were not checked',
  advice:
    'check that the database runs and that the server can reach it; cached data is served for staleSeconds, then requests get 503',
}

/** Allowed difference of clocks (token-checks.ts), and where a warning starts. */
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
  const speed = `${kind} answers in ${endedAt - startedAt} ms`
  const check: HealthCheck =
    silentMs > feedLateMs
      ? {
          name: 'storage',
          state: 'warn',
          message: `${speed}; it has reported no changes for ${Math.round(silentMs / secondMs)} s`,
          advice: `check the load of ${kind} and the network: removed members may keep access until it reports changes again`,
        }
      : { name: 'storage', state: 'ok', message: `${speed} and reports changes` }
  return time === undefined ? [check] : [check, clockCheck(time - (startedAt + endedAt) / 2)]
}

/** `differenceMs`: how far the database's clock is ahead of this process's. */
export const clockCheck = (differenceMs: number): HealthCheck => {
  const seconds = Math.abs(differenceMs / secondMs).toFixed(1)
  const message = `the database's clock is ${seconds} s ${differenceMs < 0 ? 'behind' : 'ahead of'} the server's`
  const advice = 'synchronize both machines with the same NTP server; tokens allow 60 s'
  const isFar = Math.abs(differenceMs) > clockFailMs
  return Math.abs(differenceMs) > clockWarnMs
    ? { name: 'clock', state: isFar ? 'fail' : 'warn', message, advice }
    : { name: 'clock', state: 'ok', message }
}

/** Checks that every algorithm in use has a signing key that is not overdue for rotation. */
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
      advice: 'restart the server, which creates the missing keys',
    }
  const next = rows.filter(row => row.active_from > now)
  const ageDays = Math.floor(Math.max(...signing.map(({ row }) => (now - (row?.active_from ?? now)) / dayMs)))
  const message = `${signing.length} keys sign, the oldest for ${days(ageDays)}; ${
    next.length === 0
      ? 'no next key yet'
      : `the next are published and sign from ${new Date(Math.min(...next.map(row => row.active_from))).toISOString()}`
  }`
  if (keyRotationDays !== 'off' && ageDays > keyRotationDays + 2)
    return {
      name: 'keys',
      state: 'fail',
      message,
      advice: `keys should rotate after ${keyRotationDays} days: run \`querent keys rotate\`, and check the log for the reason`,
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
  /** Undefined: no live generation. A failure: it cannot be opened. */
  info: GenerationInfo | 'unopened' | GenerationFailure | undefined
}

const isFailure = (info: CollectionState['info']): info is GenerationFailure =>
  typeof info === 'object' && 'code' in info

const isOpen = (info: CollectionState['info']): info is GenerationInfo =>
  typeof info === 'object' && 'version' in info

const readGenerationInfo = (
  { diagnostics }: ManagementDependencies,
  { workspaceId, collection }: { workspaceId: string; collection: string },
  mayOpen: () => boolean,
): Promise<CollectionState['info']> =>
  diagnostics
    .live(workspaceId, collection, mayOpen)
    .catch(error => (error instanceof EngineError ? { code: error.code, message: error.message } : undefined))

/** Collections named in a message; the rest are counted. */
const namedMax = 5
const nameCollections = (states: readonly { workspace: string; collection: string }[]): string => {
  const names = states.slice(0, namedMax).map(({ workspace, collection }) => `${workspace}/${collection}`)
  return states.length > namedMax
    ? `${names.join(', ')} and ${states.length - namedMax} more`
    : names.join(', ')
}

const pingMs = 2 * secondMs

/**
 * Pings a remote engine, because information about its generations is cached. Throws if the storage does not
 * answer.
 */
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
      'check that OpenSearch runs and that the server can reach it; queries and documents get 503 until then',
  }
}

/** Advice about collections that cannot be opened; the server opens them again within 30 s. */
const downAdvice = new Map<GenerationFailure['code'], string>([
  [
    'documents-lost',
    'put back the lost files (documents.db, documents.db-wal) or restore a backup; without one, import all documents with replace=true, or promote another generation',
  ],
  ['no-resources', 'give the server more of it: it opens them again within 30 s, without a restart'],
])
const otherAdvice =
  'check the permissions and the disk of the folder engine, and the log for "a collection is down"; if their files are damaged, restore a backup, or import all their documents with replace=true'

/** Checks that every collection has a live generation that can be opened. */
export const engineCheck = (states: readonly CollectionState[]): HealthCheck => {
  const down = states.filter(({ info }) => isFailure(info))
  const notReady = states.filter(({ info }) => info === undefined)
  const infos = states.map(({ info }) => info).filter(isOpen)
  const rebuilding = states.filter(({ info }) => isOpen(info) && info.state !== 'ready')
  const documents = infos.reduce((sum, info) => sum + info.documents, 0)
  const unopened = states.filter(({ info }) => info === 'unopened').length
  const openedCount = states.length - unopened
  const summary = `${documents.toLocaleString('en')} ${documents === 1 ? 'document' : 'documents'} in ${openedCount} ${openedCount === 1 ? 'collection' : 'collections'}`
  const message = unopened === 0 ? summary : `${summary}, ${unopened} more not opened yet`
  const [firstDown] = down
  if (isFailure(firstDown?.info)) {
    const codes = new Set(down.map(({ info }) => (isFailure(info) ? info.code : undefined)))
    return {
      name: 'engine',
      state: 'fail',
      message: `${message}; down: ${nameCollections(down)} (${firstDown.info.message})`,
      advice: [...downAdvice].flatMap(([code, text]) => (codes.has(code) ? [text] : []))[0] ?? otherAdvice,
    }
  }
  if (notReady.length > 0)
    return {
      name: 'engine',
      state: 'fail',
      message: `${message}; not ready: ${nameCollections(notReady)}`,
      advice: 'check the log for messages about them; if there are none, restart the server',
    }
  if (rebuilding.length > 0)
    return {
      name: 'engine',
      state: 'warn',
      message: `${message}; being rebuilt: ${nameCollections(rebuilding)}`,
      advice: 'wait: they answer 503 until their index is rebuilt from their documents',
    }
  return {
    name: 'engine',
    state: 'ok',
    message: `${message}, ${unopened === 0 ? 'all' : 'those opened are'} ready`,
  }
}

const backupWarnDays = 7

export const backupCheck = ({ at, missing, failure }: LastBackup, now: number): HealthCheck => {
  const advice = 'create one with `querent backup FILE` daily, and keep it on another machine'
  if (at === null) return { name: 'backup', state: 'warn', message: 'no backup was made', advice }
  const time = new Date(at).toISOString()
  if (failure !== undefined)
    return {
      name: 'backup',
      state: 'fail',
      message: `the last backup failed at ${time}: ${failure}`,
      advice: 'remove the cause, and create one with `querent backup FILE`',
    }
  if (missing.length > 0)
    return {
      name: 'backup',
      state: 'fail',
      message: `the last backup, of ${time}, lacks the documents of ${nameCollections(missing)}: ${missing[0]?.reason}`,
      advice:
        'keep the backups before it, repair these collections, and create one with `querent backup FILE`',
    }
  const message = `the last backup was started at ${time}`
  return now - at > backupWarnDays * dayMs
    ? { name: 'backup', state: 'warn', message, advice }
    : { name: 'backup', state: 'ok', message }
}

/** Checks that proxy headers of the current request match the settings. */
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
      `requests from ${peer} carry X-Forwarded-For but it is not in trustedProxy, so all clients share its address in limits and the audit log`,
      `add ${peer} to trustedProxy if that is your proxy`,
    )
  // The server speaks only HTTP, so https requests come through a proxy.
  if (forwarded === undefined && protocol === 'https:')
    return makeWarning(
      `the request came from ${peer} without X-Forwarded-For, so all clients share the proxy's address in limits and the audit log`,
      'make the proxy send X-Forwarded-For, and add it to trustedProxy',
    )
  if (headers.host !== undefined && headers.host !== host)
    return makeWarning(
      `the request was for ${JSON.stringify(headers.host.slice(0, 255))}, and authUrl is ${authUrl}`,
      'make the proxy pass the Host header unchanged',
    )
  const proto = headers['x-forwarded-proto']
  if (proto !== undefined && `${String(proto)}:` !== protocol)
    return makeWarning(
      `the proxy reports the scheme ${JSON.stringify(String(proto).slice(0, 20))}, and authUrl is ${authUrl}`,
      'redirect http to https at the proxy, or correct its X-Forwarded-Proto',
    )
  return {
    name: 'proxy',
    state: 'ok',
    message:
      forwarded === undefined
        ? 'the request came without a proxy'
        : `the proxy at ${peer} is trusted and passes Host and X-Forwarded-For`,
  }
}
