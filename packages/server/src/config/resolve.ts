import { join, resolve } from 'node:path'
import { didYouMean, listNames } from '@querent/contract/nearest-names'
import { quoted } from '@querent/contract/server-origin'
import { type Config, ConfigError, loopbackOrigin, type SettingName, type Source } from './config.ts'
import { settingNames, settings } from './settings.ts'

export interface ConfigInput {
  /** Text of each given flag, by setting. */
  flags: Partial<Record<SettingName, string>>
  env: Readonly<Record<string, string | undefined>>
  /** The parsed configuration file (YAML or JSON); messages contain `name`. */
  file?: { name: string; settings: unknown }
}

/**
 * Reads every setting. Flags take precedence over the environment, the environment over the file, the file over the default. An empty
 * environment variable counts as absent. Throws {@link ConfigError} with the source of the first invalid value.
 */
export const readConfig = ({ flags, env, file }: ConfigInput) => {
  const fromFile = readFileSettings(file)
  const sources = Object.fromEntries(settingNames.map(name => [name, 'default'])) as Record<
    SettingName,
    Source
  >

  /** OTEL_TRACES_SAMPLER_ARG may belong to another sampler, or be meant for other programs if this server sends no traces. */
  const mayUseStandardRatio = (): boolean =>
    value('otlpEndpoint') !== undefined &&
    (env.OTEL_TRACES_SAMPLER || 'traceidratio').endsWith('traceidratio')
  const value = <K extends SettingName>(name: K): (typeof settings)[K]['default'] => {
    const setting = settings[name]
    const standard = name === 'traceRatio' && !mayUseStandardRatio() ? undefined : setting.standard
    const candidates = [
      ['flag', flags[name], setting.flag?.split(' ')[0]],
      ['environment', env[setting.environment] || undefined, setting.environment],
      ['environment', (standard && env[standard]) || undefined, standard],
      ['file', fromFile.get(name), `${name} in ${file?.name}`],
    ] as const
    const [source, text, place] = candidates.find(([, candidate]) => candidate !== undefined) ?? []
    if (source === undefined || text === undefined) return setting.default
    sources[name] = source
    try {
      return setting.read(text)
    } catch (error) {
      throw new ConfigError(`${place}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  const config = readSettings(value)
  rejectContradictions(config)
  return { config, sources }
}

type ReadSetting = <K extends SettingName>(name: K) => (typeof settings)[K]['default']

/** Reads each setting once. Some defaults depend on other settings. */
const readSettings = (value: ReadSetting): Config => {
  const data = resolve(value('data'))
  const host = value('host')
  const port = value('port')
  const authPort = value('authPort')
  return {
    data,
    host,
    port,
    authPort,
    baseUrl: value('baseUrl') ?? (port === 0 ? undefined : loopbackOrigin(host, port)),
    authUrl: value('authUrl') ?? (authPort === 0 ? undefined : loopbackOrigin(host, authPort)),
    workers: value('workers'),
    only: value('only'),
    trustedProxy: value('trustedProxy'),
    storage: value('storage') ?? { file: join(data, 'querent.db') },
    engine: value('engine'),
    engineUser: value('engineUser'),
    enginePassword: value('enginePassword'),
    engineCa: value('engineCa'),
    enginePrefix: value('enginePrefix'),
    engineShards: value('engineShards'),
    engineReplicas: value('engineReplicas'),
    openCollections: value('openCollections'),
    rateLimit: value('rateLimit'),
    signInThrottle: value('signInThrottle'),
    signInLogDays: value('signInLogDays'),
    passwordLengthMin: value('passwordLengthMin'),
    invitationThrottle: value('invitationThrottle'),
    pathVersions: value('pathVersions'),
    internalHosts: value('internalHosts'),
    dnsServers: value('dnsServers'),
    embedders: value('embedders'),
    openRegistration: value('openRegistration'),
    nativeSchemes: value('nativeSchemes'),
    queriesAtOnce: value('queriesAtOnce'),
    queriesWaiting: value('queriesWaiting'),
    queryTimeoutMs: value('queryTimeoutMs'),
    staleSeconds: value('staleSeconds'),
    whenCutOff: value('whenCutOff'),
    shutdownSeconds: value('shutdownSeconds'),
    drainSeconds: value('drainSeconds'),
    metricsPort: value('metricsPort'),
    metricsHost: value('metricsHost'),
    otlpEndpoint: value('otlpEndpoint'),
    traceRatio: value('traceRatio'),
    key: value('key'),
    accessTokenAlgorithm: value('accessTokenAlgorithm'),
    tokenShortcut: value('tokenShortcut'),
    queryShortcut: value('queryShortcut'),
    keyRotationDays: value('keyRotationDays'),
    smtpUrl: value('smtpUrl'),
    mailFrom: value('mailFrom'),
    logLevel: value('logLevel'),
  }
}

const rejectContradictions = (config: Config): void => {
  const {
    only,
    port,
    authPort,
    metricsPort,
    baseUrl,
    authUrl,
    smtpUrl,
    mailFrom,
    engineUser,
    enginePassword,
  } = config
  if ((engineUser === undefined) !== (enginePassword === undefined))
    throw new ConfigError(
      `QUERENT_ENGINE_${engineUser === undefined ? 'USER' : 'PASSWORD'} is missing: set user and password of OpenSearch, or neither`,
    )
  if (smtpUrl !== undefined && mailFrom === undefined)
    throw new ConfigError(
      '--mail-from is missing: mails by QUERENT_SMTP_URL need a sender, such as "Search <search@example.org>"',
    )
  const otherServiceUrl = only === 'query' ? authUrl : only === 'authorization' ? baseUrl : only
  if (only !== undefined && otherServiceUrl === undefined)
    throw new ConfigError(
      `--${only === 'query' ? 'auth' : 'base'}-url is missing: with --only ${only} the other server needs a fixed address`,
    )
  if (only === undefined && port === authPort && port !== 0)
    throw new ConfigError(`--port and --auth-port are both ${port}: the two servers need a port each`)
  const servicePorts = [...(only === 'authorization' ? [] : [port]), ...(only === 'query' ? [] : [authPort])]
  if (metricsPort !== 0 && servicePorts.some(servicePort => servicePort === metricsPort))
    throw new ConfigError(`--metrics-port is ${metricsPort} as well: metrics need a port of their own`)
  if (baseUrl !== undefined && baseUrl === authUrl)
    throw new ConfigError(
      `--base-url and --auth-url are both ${baseUrl}: the authorization server needs an origin of its own`,
    )
}

/** Returns the text of each setting in the file, with numbers, booleans and lists written like in a flag. */
const readFileSettings = (file: ConfigInput['file']): Map<SettingName, string> => {
  const texts = new Map<SettingName, string>()
  const fileSettings = file?.settings ?? {}
  if (typeof fileSettings !== 'object' || Array.isArray(fileSettings))
    throw new ConfigError(`${file?.name}: it must contain settings by name, such as "port: 4000"`)
  for (const [key, raw] of Object.entries(fileSettings)) {
    const name = settingNames.find(candidate => candidate === key)
    if (name === undefined)
      throw new ConfigError(
        `${file?.name}: no setting is named ${quoted(key)}${didYouMean(key, settingNames) || '.'} All: ${listNames(settingNames)}`,
      )
    if (raw === null || raw === undefined) continue
    const parts: unknown[] = Array.isArray(raw) ? raw : [raw]
    if (name === 'embedders' && typeof raw === 'object') {
      texts.set(name, JSON.stringify(raw))
      continue
    }
    if (parts.some(part => typeof part === 'object'))
      throw new ConfigError(`${name} in ${file?.name}: a text, number or list is allowed, not an object`)
    texts.set(name, parts.map(String).join(','))
  }
  return texts
}
