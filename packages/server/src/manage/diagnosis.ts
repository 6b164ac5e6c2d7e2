/**
 * Health checks for `querent doctor`, from the view of this process. The client adds those that only a client
 * can do.
 */
import { type HealthCode, type HealthPart, healthPart } from '@querent/contract/health-texts'
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
import { makeHealthCheck } from './health-check.ts'
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

const storageUnreachable = makeHealthCheck(
  { name: 'storage', state: 'fail' },
  [healthPart('storage-away')],
  healthPart('storage-away-advice'),
)

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
  const speed = healthPart('storage-answers', { kind, ms: endedAt - startedAt })
  const check =
    silentMs > feedLateMs
      ? makeHealthCheck(
          { name: 'storage', state: 'warn' },
          [speed, healthPart('storage-silent', { seconds: Math.round(silentMs / secondMs) })],
          healthPart('storage-silent-advice', { kind }),
        )
      : makeHealthCheck({ name: 'storage', state: 'ok' }, [speed, healthPart('storage-reports')])
  return time === undefined ? [check] : [check, clockCheck(time - (startedAt + endedAt) / 2)]
}

/** `differenceMs`: how far the database's clock is ahead of this process's. */
export const clockCheck = (differenceMs: number): HealthCheck => {
  const seconds = Math.abs(differenceMs / secondMs).toFixed(1)
  const message = [healthPart(differenceMs < 0 ? 'clock-behind' : 'clock-ahead', { seconds })]
  const isFar = Math.abs(differenceMs) > clockFailMs
  return Math.abs(differenceMs) > clockWarnMs
    ? makeHealthCheck({ name: 'clock', state: isFar ? 'fail' : 'warn' }, message, healthPart('clock-advice'))
    : makeHealthCheck({ name: 'clock', state: 'ok' }, message)
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
    return makeHealthCheck(
      { name: 'keys', state: 'fail' },
      [healthPart('keys-missing', { algorithms: missing.join(', ') })],
      healthPart('keys-missing-advice'),
    )
  const next = rows.filter(row => row.active_from > now)
  const ageDays = Math.floor(Math.max(...signing.map(({ row }) => (now - (row?.active_from ?? now)) / dayMs)))
  const message = [
    healthPart('keys-sign', { keys: signing.length }),
    healthPart('days', { count: ageDays }),
    next.length === 0
      ? healthPart('keys-no-next')
      : healthPart('keys-next', { time: writeTime(Math.min(...next.map(row => row.active_from))) }),
  ]
  if (keyRotationDays !== 'off' && ageDays > keyRotationDays + 2)
    return makeHealthCheck(
      { name: 'keys', state: 'fail' },
      message,
      healthPart('keys-overdue-advice', { days: keyRotationDays }),
    )
  if (keyRotationDays === 'off' && ageDays > 365)
    return makeHealthCheck({ name: 'keys', state: 'warn' }, message, healthPart('keys-old-advice'))
  return makeHealthCheck({ name: 'keys', state: 'ok' }, message)
}

const writeTime = (ms: number): string => new Date(ms).toISOString()

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
const nameCollections = (
  code: HealthCode,
  states: readonly { workspace: string; collection: string }[],
  values: { time?: string } = {},
): HealthPart[] => {
  const names = states.slice(0, namedMax).map(({ workspace, collection }) => `${workspace}/${collection}`)
  return [
    healthPart(code, { ...values, names: names.join(', ') }),
    ...(states.length > namedMax ? [healthPart('and-more', { more: states.length - namedMax })] : []),
  ]
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
  if (failure === undefined)
    return makeHealthCheck({ name: 'engine', state: 'ok' }, [healthPart('engine-answers')])
  return makeHealthCheck(
    { name: 'engine', state: 'fail' },
    [healthPart('engine-away', { reason: failure })],
    healthPart('engine-away-advice'),
  )
}

/** Advice about collections that cannot be opened; the server opens them again within 30 s. */
const downAdvice = new Map<GenerationFailure['code'], HealthCode>([
  ['documents-lost', 'documents-lost-advice'],
  ['no-resources', 'no-resources-advice'],
])

/** Checks that every collection has a live generation that can be opened. */
export const engineCheck = (states: readonly CollectionState[]): HealthCheck => {
  const down = states.filter(({ info }) => isFailure(info))
  const notReady = states.filter(({ info }) => info === undefined)
  const infos = states.map(({ info }) => info).filter(isOpen)
  const rebuilding = states.filter(({ info }) => isOpen(info) && info.state !== 'ready')
  const documents = infos.reduce((sum, info) => sum + info.documents, 0)
  const unopened = states.filter(({ info }) => info === 'unopened').length
  const message = [
    healthPart('documents', { count: documents }),
    healthPart('in-collections', { count: states.length - unopened }),
    ...(unopened === 0 ? [] : [healthPart('engine-unopened', { more: unopened })]),
  ]
  const [firstDown] = down
  if (isFailure(firstDown?.info)) {
    const codes = new Set(down.map(({ info }) => (isFailure(info) ? info.code : undefined)))
    const [advice = 'engine-down-advice'] = [...downAdvice].flatMap(([code, text]) =>
      codes.has(code) ? [text] : [],
    )
    const reason = healthPart('reason', { reason: firstDown.info.message })
    return makeHealthCheck(
      { name: 'engine', state: 'fail' },
      [...message, ...nameCollections('engine-down', down), reason],
      healthPart(advice),
    )
  }
  if (notReady.length > 0)
    return makeHealthCheck(
      { name: 'engine', state: 'fail' },
      [...message, ...nameCollections('engine-not-ready', notReady)],
      healthPart('engine-not-ready-advice'),
    )
  if (rebuilding.length > 0)
    return makeHealthCheck(
      { name: 'engine', state: 'warn' },
      [...message, ...nameCollections('engine-rebuilding', rebuilding)],
      healthPart('engine-rebuilding-advice'),
    )
  const ready = healthPart(unopened === 0 ? 'engine-all-ready' : 'engine-opened-ready')
  return makeHealthCheck({ name: 'engine', state: 'ok' }, [...message, ready])
}

const backupWarnDays = 7

export const backupCheck = ({ at, missing, failure }: LastBackup, now: number): HealthCheck => {
  const advice = healthPart('backup-advice')
  if (at === null)
    return makeHealthCheck({ name: 'backup', state: 'warn' }, [healthPart('backup-none')], advice)
  const time = writeTime(at)
  if (failure !== undefined)
    return makeHealthCheck(
      { name: 'backup', state: 'fail' },
      [healthPart('backup-failed', { time, reason: failure })],
      healthPart('backup-failed-advice'),
    )
  if (missing.length > 0)
    return makeHealthCheck(
      { name: 'backup', state: 'fail' },
      [
        ...nameCollections('backup-lacks', missing, { time }),
        healthPart('backup-lacks-reason', { reason: String(missing[0]?.reason) }),
      ],
      healthPart('backup-lacks-advice'),
    )
  const message = [healthPart('backup-started', { time })]
  return now - at > backupWarnDays * dayMs
    ? makeHealthCheck({ name: 'backup', state: 'warn' }, message, advice)
    : makeHealthCheck({ name: 'backup', state: 'ok' }, message)
}

/** Checks that proxy headers of the current request match the settings. */
export const proxyCheck = (
  { peer, headers }: Call['arrival'],
  { authUrl, isTrusted }: { authUrl: string; isTrusted: boolean },
): HealthCheck => {
  const { protocol, host } = new URL(authUrl)
  const forwarded = headers['x-forwarded-for'] ?? headers.forwarded
  const makeWarning = (message: HealthPart, advice: HealthPart) =>
    makeHealthCheck({ name: 'proxy', state: 'warn' }, [message], advice)
  if (forwarded !== undefined && !isTrusted)
    return makeWarning(
      healthPart('proxy-untrusted', { peer }),
      healthPart('proxy-untrusted-advice', { peer }),
    )
  // The server speaks only HTTP, so https requests come through a proxy.
  if (forwarded === undefined && protocol === 'https:')
    return makeWarning(healthPart('proxy-silent', { peer }), healthPart('proxy-silent-advice'))
  if (headers.host !== undefined && headers.host !== host)
    return makeWarning(
      healthPart('proxy-host', { host: JSON.stringify(headers.host.slice(0, 255)), authUrl }),
      healthPart('proxy-host-advice'),
    )
  const proto = headers['x-forwarded-proto']
  if (proto !== undefined && `${String(proto)}:` !== protocol)
    return makeWarning(
      healthPart('proxy-scheme', { scheme: JSON.stringify(String(proto).slice(0, 20)), authUrl }),
      healthPart('proxy-scheme-advice'),
    )
  return makeHealthCheck({ name: 'proxy', state: 'ok' }, [
    forwarded === undefined ? healthPart('proxy-none') : healthPart('proxy-trusted', { peer }),
  ])
}
