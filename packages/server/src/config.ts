/**
 * Every setting of the server: one row of {@link settings} each. Only `main` reads the result; all others are handed values.
 * The flags of `querent serve`, its help and `--print-config` come from the same table. Source: command-line.md; the security
 * rules from authorization-server.md, Rules to hold.
 */
import { join, resolve } from 'node:path'
import { isAddressRange } from '@querent/contract/address-range'
import { didYouMean, listNames } from '@querent/contract/nearest-names'
import { isLoopback, quoted, serverOriginProblem } from '@querent/contract/server-origin'

/** The settings of one server as plain values, each checked. */
export interface Config {
  /** Absolute path of the data folder. */
  data: string
  host: string
  /** 0: any free one. */
  port: number
  /** 0: any free one. */
  authPort: number
  /** Origin without a slash at the end. Absent only when the port is 0: then {@link loopbackOrigin} of the port that was given. */
  baseUrl: string | undefined
  authUrl: string | undefined
  /** Absent: both servers. */
  only: 'query' | 'authorization' | undefined
  /** IP addresses and CIDR ranges. */
  trustedProxy: string[]
  /** A file of SQLite (absolute path), or a PostgreSQL connection string. */
  storage: { file: string } | { connection: string }
  /** Where documents are: in the data folder, or in OpenSearch, whose nodes have these origins. */
  engine: 'embedded' | { nodes: string[] }
  engineUser: string | undefined
  enginePassword: string | undefined
  /** PEM file. */
  engineCa: string | undefined
  enginePrefix: string
  engineShards: number
  engineReplicas: number
  openCollections: number
  /** Requests a minute for each account. */
  rateLimit: number | 'off'
  /** Failed sign-ins a minute for each account. */
  signInThrottle: number | 'off'
  invitationThrottle: number | 'off'
  queriesAtOnce: number
  queriesWaiting: number
  queryTimeoutMs: number
  /** 0: not at all. */
  staleSeconds: number
  whenCutOff: 'step-aside' | 'serve'
  shutdownSeconds: number
  drainSeconds: number
  /** 0: any free one. */
  metricsPort: number | 'off'
  metricsHost: string
  /** Base address of an OTLP collector, without a slash at the end. Absent: no traces. */
  otlpEndpoint: string | undefined
  /** Share of the requests that come without a decision about it, 0 to 1. */
  traceRatio: number
  /** Absent: a file of mode 0600 in the data folder holds one. */
  key: string | undefined
  accessTokenAlgorithm: 'ES256' | 'EdDSA'
  tokenShortcut: 'on' | 'off'
  keyRotationDays: number | 'off'
  /** Holds a password. Absent: no mails are sent. */
  smtpUrl: string | undefined
  mailFrom: string | undefined
  logLevel: (typeof logLevels)[number]
}
export type SettingName = keyof Config
export type Source = 'flag' | 'environment' | 'file' | 'default'

/** One setting: how it is named, what it means, and how its text becomes a value (`read` throws a reason, without the name). */
export interface Setting<T> {
  /** As commander takes it. Absent: a secret, which must not stand in a process list. */
  flag?: string
  environment: string
  /** Name by which other programs have it too; that of ours counts more. */
  standard?: string
  default: T
  /** Shown where the default follows from other settings. */
  defaultText?: string
  unit?: string
  reason: string
  read: (text: string) => T
}

/** A setting that is missing, contradictory or not understood; the message is one line that names it and says what is allowed. */
export class ConfigError extends Error {}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const enumReader =
  <const T extends string>(...allowed: readonly T[]) =>
  (text: string): T => {
    const choice = allowed.find(value => value === text)
    if (choice === undefined) throw new ConfigError(`${quoted(text)} is not one of ${allowed.join(', ')}`)
    return choice
  }

const integerReader =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= least && value <= most))
      throw new ConfigError(`${quoted(text)} is not a whole number from ${least} to ${most}`)
    return value
  }

const readNumberOrOff = (text: string): number | 'off' => {
  if (text === 'off') return 'off'
  try {
    return integerReader(1, 1_000_000_000)(text)
  } catch {
    throw new ConfigError(`${quoted(text)} is neither a whole number from 1 on nor "off"`)
  }
}

const readDays = (text: string): number | 'off' => {
  if (text === 'off') return 'off'
  try {
    return integerReader(1, 3650)(text)
  } catch {
    throw new ConfigError(`${quoted(text)} is neither a whole number of days from 1 to 3650, nor "off"`)
  }
}

const readPortOrOff = (text: string): number | 'off' => {
  if (text === 'off') return 'off'
  try {
    return integerReader(0, 65_535)(text)
  } catch {
    throw new ConfigError(`${quoted(text)} is neither a whole number from 0 to 65535 nor "off"`)
  }
}

const readRatio = (text: string): number => {
  const value = /^\d(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= 0 && value <= 1))
    throw new ConfigError(`${quoted(text)} is not a number from 0 to 1, such as 0.1`)
  return value
}

/** Plain http is allowed: traces hold nothing secret. What may be in it besides, such as a user, is not shown. */
const readCollectorUrl = (text: string): string => {
  const { protocol, username, password, search, hash, origin, pathname } = URL.canParse(text)
    ? new URL(text)
    : new URL('none:')
  const isPlain = username === '' && password === '' && search === '' && hash === ''
  if ((protocol === 'http:' || protocol === 'https:') && isPlain)
    return `${origin}${pathname}`.replace(/\/+$/, '')
  throw new ConfigError(
    'it is no address such as http://127.0.0.1:4318, without user and query: credentials go into OTEL_EXPORTER_OTLP_HEADERS',
  )
}

/** A public address. Throws {@link ConfigError}, without the name of what was read. */
const readOrigin = (text: string): string => {
  const problem = serverOriginProblem(text)
  if (problem !== undefined) throw new ConfigError(problem)
  return new URL(text).origin
}

const readAddresses = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .filter(part => part !== '')
    .map(part => {
      if (isAddressRange(part)) return part
      throw new ConfigError(`${quoted(part)} is neither an IP address nor a range such as 10.0.0.0/8`)
    })

const readStorageLocation = (text: string): Config['storage'] => {
  if (/^postgres(ql)?:\/\/./.test(text) && URL.canParse(text)) return { connection: text }
  const file = /^sqlite:(.+)$/.exec(text)?.[1]
  if (file !== undefined) return { file: resolve(file) }
  throw new ConfigError('it is neither postgres://user@host/database nor sqlite:FILE')
}

/** Documents would go over plain http in clear, so only this machine may use it: see {@link serverOriginProblem}. */
const readEngine = (text: string): Config['engine'] => {
  if (text === 'embedded') return text
  const nodes = text.split(/[\s,]+/).filter(part => part !== '')
  const nodeWithUser = nodes.find(node => URL.canParse(node) && new URL(node).username !== '')
  // It may hold a password: it does not stand in the message.
  if (nodeWithUser !== undefined)
    throw new ConfigError(
      'an address has a user in it: set QUERENT_ENGINE_USER and QUERENT_ENGINE_PASSWORD in the environment instead',
    )
  if (nodes.length > 0 && nodes.every(node => /^https?:\/\//.test(node)))
    return { nodes: nodes.map(readOrigin) }
  throw new ConfigError(
    `${quoted(text)} is neither "embedded" nor addresses of OpenSearch such as https://search.example.org:9200`,
  )
}

const readIndexPrefix = (text: string): string => {
  if (/^[a-z0-9][a-z0-9_-]{0,30}$/.test(text)) return text
  throw new ConfigError(
    `${quoted(text)} cannot begin the names of indexes: 1 to 31 of a-z 0-9 - _, a letter or digit first`,
  )
}

/** Nothing of it stands in the message: it holds a password. */
const readSmtpUrl = (text: string): string => {
  const { protocol, hostname, pathname } = URL.canParse(text) ? new URL(text) : new URL('none:')
  if ((protocol === 'smtp:' || protocol === 'smtps:') && hostname !== '' && /^\/?$/.test(pathname))
    return text
  throw new ConfigError('it is not of the form smtp://user:password@host:port (or smtps://)')
}

const readSender = (text: string): string => {
  if (/^[^\r\n<>"@]*<[^\s@<>"]+@[^\s@<>"]+>$|^[^\s@<>"]+@[^\s@<>"]+$/.test(text)) return text
  throw new ConfigError(`${quoted(text)} is no sender such as "Search <search@example.org>"`)
}

const nonEmptyReader = (what: string) => (text: string) => {
  if (text === '') throw new ConfigError(`it is empty: give ${what}`)
  return text
}

const keyBytes = 32
const readSecretKey = (text: string): string => {
  if (Buffer.from(text, 'base64').length !== keyBytes)
    throw new ConfigError(`it is not ${keyBytes} bytes in base64: take \`openssl rand -base64 ${keyBytes}\``)
  return text
}

/** Defaults that are stated elsewhere too are compared with their documents by tests. */
export const settings: {
  [K in SettingName]: Setting<Config[K] | (K extends 'storage' ? undefined : never)>
} = {
  data: {
    flag: '--data <dir>',
    environment: 'QUERENT_DATA',
    default: 'querent-data',
    reason: 'folder with all that the server keeps; made by `querent init`',
    read: nonEmptyReader('a folder'),
  },
  host: {
    flag: '--host <address>',
    environment: 'QUERENT_HOST',
    default: '127.0.0.1',
    reason: 'address to listen at; by default reachable from this machine only',
    read: nonEmptyReader('an address such as 0.0.0.0'),
  },
  port: {
    flag: '--port <port>',
    environment: 'QUERENT_PORT',
    default: 4000,
    reason: 'port of the query service; 0: any free one',
    read: integerReader(0, 65_535),
  },
  authPort: {
    flag: '--auth-port <port>',
    environment: 'QUERENT_AUTH_PORT',
    default: 4001,
    reason: 'port of the authorization server; 0: any free one',
    read: integerReader(0, 65_535),
  },
  baseUrl: {
    flag: '--base-url <origin>',
    environment: 'QUERENT_BASE_URL',
    default: undefined,
    defaultText: 'http://127.0.0.1:<port>',
    reason: 'public address of the query service: the audience of tokens',
    read: readOrigin,
  },
  authUrl: {
    flag: '--auth-url <origin>',
    environment: 'QUERENT_AUTH_URL',
    default: undefined,
    defaultText: 'http://127.0.0.1:<auth port>',
    reason: 'public address of the authorization server: the issuer of tokens; an origin of its own',
    read: readOrigin,
  },
  only: {
    flag: '--only <server>',
    environment: 'QUERENT_ONLY',
    default: undefined,
    defaultText: 'both',
    reason: 'query or authorization: one of the two servers in this process',
    read: enumReader('query', 'authorization'),
  },
  trustedProxy: {
    flag: '--trusted-proxy <addresses>',
    environment: 'QUERENT_TRUSTED_PROXY',
    default: [],
    defaultText: 'none',
    reason: "proxies whose X-Forwarded-For is believed; anyone else's would let clients choose their address",
    read: readAddresses,
  },
  storage: {
    flag: '--storage <connection>',
    environment: 'QUERENT_STORAGE',
    default: undefined,
    defaultText: 'sqlite:<data>/querent.db',
    reason: 'where people, accounts, keys and definitions are: postgres://… for several nodes',
    read: readStorageLocation,
  },
  engine: {
    flag: '--engine <engine>',
    environment: 'QUERENT_ENGINE',
    default: 'embedded',
    reason:
      'where documents are searched: `embedded`, in the data folder; or OpenSearch, by the addresses of its nodes (https://…, separated by commas), for several nodes',
    read: readEngine,
  },
  engineUser: {
    environment: 'QUERENT_ENGINE_USER',
    default: undefined,
    defaultText: 'none',
    reason: 'who this server is to OpenSearch',
    read: nonEmptyReader('a name'),
  },
  enginePassword: {
    environment: 'QUERENT_ENGINE_PASSWORD',
    default: undefined,
    defaultText: 'none; needed with QUERENT_ENGINE_USER',
    reason: 'password of that user',
    read: nonEmptyReader('a password'),
  },
  engineCa: {
    flag: '--engine-ca <file>',
    environment: 'QUERENT_ENGINE_CA',
    default: undefined,
    defaultText: 'the authorities that Node.js knows',
    reason: 'PEM file of the authority that signed the certificates of OpenSearch',
    read: text => resolve(nonEmptyReader('a file')(text)),
  },
  enginePrefix: {
    flag: '--engine-prefix <name>',
    environment: 'QUERENT_ENGINE_PREFIX',
    default: 'querent-',
    reason: 'begins the names of indexes in OpenSearch: services that share a cluster have one each',
    read: readIndexPrefix,
  },
  engineShards: {
    flag: '--engine-shards <number>',
    environment: 'QUERENT_ENGINE_SHARDS',
    default: 1,
    reason: 'primary shards of each index that is made from now on',
    read: integerReader(1, 1024),
  },
  engineReplicas: {
    flag: '--engine-replicas <number>',
    environment: 'QUERENT_ENGINE_REPLICAS',
    default: 1,
    reason:
      'copies of each shard besides, of indexes made from now on; with none a lost node takes documents along',
    read: integerReader(0, 20),
  },
  openCollections: {
    flag: '--open-collections <number>',
    environment: 'QUERENT_OPEN_COLLECTIONS',
    default: 1000,
    unit: 'collections',
    reason:
      'open at once in the embedded engine, at up to 0.5 MB, 6 files and 15 of the 65,530 memory maps that Linux gives a process; any other is opened when it is used, and the one used longest ago is closed',
    read: integerReader(1, 100_000),
  },
  rateLimit: {
    flag: '--rate-limit <number>',
    environment: 'QUERENT_RATE_LIMIT',
    default: 1_000_000,
    unit: 'requests a minute for each account',
    reason: 'stops a runaway client before it starves the others; `off` for none',
    read: readNumberOrOff,
  },
  signInThrottle: {
    flag: '--sign-in-throttle <number>',
    environment: 'QUERENT_SIGN_IN_THROTTLE',
    default: 10,
    unit: 'failures a minute for each account',
    reason: 'slows the guessing of passwords and secrets; ten times as many for an address; `off` for none',
    read: readNumberOrOff,
  },
  invitationThrottle: {
    flag: '--invitation-throttle <number>',
    environment: 'QUERENT_INVITATION_THROTTLE',
    default: 5,
    unit: 'invitation mails an hour to each address',
    reason:
      'nobody fills the mailboxes of others; each workspace sends 20 times as many a day; `off` for none',
    read: readNumberOrOff,
  },
  queriesAtOnce: {
    flag: '--queries-at-once <number>',
    environment: 'QUERENT_QUERIES_AT_ONCE',
    default: 64,
    unit: 'queries for each account',
    reason: 'run at once; those beyond wait, and accounts that wait are served in turn',
    read: integerReader(1, 10_000),
  },
  queriesWaiting: {
    flag: '--queries-waiting <number>',
    environment: 'QUERENT_QUERIES_WAITING',
    default: 10_000,
    unit: 'queries for each account',
    reason: 'may wait for their turn; beyond that the next query is answered with 429',
    read: integerReader(0, 1_000_000),
  },
  queryTimeoutMs: {
    flag: '--query-timeout-ms <number>',
    environment: 'QUERENT_QUERY_TIMEOUT_MS',
    default: 5000,
    unit: 'ms',
    reason: 'a query that takes longer, its wait included, is answered with 503',
    read: integerReader(1, 600_000),
  },
  staleSeconds: {
    flag: '--stale-seconds <number>',
    environment: 'QUERENT_STALE_SECONDS',
    default: 30,
    unit: 's',
    reason: 'how long memberships known so far are believed while storage is away; 0: not at all',
    read: integerReader(0, 3600),
  },
  whenCutOff: {
    flag: '--when-cut-off <step-aside|serve>',
    environment: 'QUERENT_WHEN_CUT_OFF',
    default: 'step-aside',
    reason:
      'what /readyz says while storage cannot be reached: `step-aside`: 503 at once, so that load balancers use other nodes; `serve`: 200 for as long as --stale-seconds',
    read: enumReader('step-aside', 'serve'),
  },
  shutdownSeconds: {
    flag: '--shutdown-seconds <number>',
    environment: 'QUERENT_SHUTDOWN_SECONDS',
    default: 10,
    unit: 's',
    reason: 'how long requests that run may still take once the server was told to stop; then they are cut',
    read: integerReader(0, 3600),
  },
  drainSeconds: {
    flag: '--drain-seconds <number>',
    environment: 'QUERENT_DRAIN_SECONDS',
    default: 0,
    unit: 's',
    reason:
      'how long a server that was told to stop goes on as before, but that /readyz says 503: longer than a load balancer takes to notice',
    read: integerReader(0, 3600),
  },
  metricsPort: {
    flag: '--metrics-port <port>',
    environment: 'QUERENT_METRICS_PORT',
    default: 'off',
    reason:
      'port of /metrics for Prometheus, of its own so that nobody else sees them; 0: any free one; `off` for none',
    read: readPortOrOff,
  },
  metricsHost: {
    flag: '--metrics-host <address>',
    environment: 'QUERENT_METRICS_HOST',
    default: '127.0.0.1',
    reason: 'address where metrics are; by default for this machine only',
    read: nonEmptyReader('an address such as 0.0.0.0'),
  },
  otlpEndpoint: {
    flag: '--otlp-endpoint <address>',
    environment: 'QUERENT_OTLP_ENDPOINT',
    standard: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    default: undefined,
    defaultText: 'none: no traces',
    reason:
      'base address of an OpenTelemetry collector that takes traces by OTLP over HTTP; also from OTEL_EXPORTER_OTLP_ENDPOINT',
    read: readCollectorUrl,
  },
  traceRatio: {
    flag: '--trace-ratio <share>',
    environment: 'QUERENT_TRACE_RATIO',
    standard: 'OTEL_TRACES_SAMPLER_ARG',
    default: 1,
    reason:
      'share of requests that are traced, 0 to 1; of one with a `traceparent`, that decides; also from OTEL_TRACES_SAMPLER_ARG, unless OTEL_TRACES_SAMPLER names another sampler than by ratio',
    read: readRatio,
  },
  key: {
    environment: 'QUERENT_KEY',
    default: undefined,
    defaultText: 'a file of mode 0600 in the data folder',
    reason: 'encrypts signing keys at rest; nodes of one service share it',
    read: readSecretKey,
  },
  accessTokenAlgorithm: {
    flag: '--access-token-algorithm <name>',
    environment: 'QUERENT_ACCESS_TOKEN_ALGORITHM',
    default: 'ES256',
    reason: 'signature of access tokens: ES256 or EdDSA; both sign ten times as fast as RS256',
    read: enumReader('ES256', 'EdDSA'),
  },
  tokenShortcut: {
    flag: '--token-shortcut <on|off>',
    environment: 'QUERENT_TOKEN_SHORTCUT',
    default: 'on',
    reason:
      'plain requests for a token by client credentials go past the OpenID library, with the same answers in less than half the time; `off` sends them through it',
    read: enumReader('on', 'off'),
  },
  keyRotationDays: {
    flag: '--key-rotation-days <number>',
    environment: 'QUERENT_KEY_ROTATION_DAYS',
    default: 90,
    unit: 'days',
    reason:
      'a signing key is followed by a new one after so long, published a day before its use; `off` for never',
    read: readDays,
  },
  smtpUrl: {
    environment: 'QUERENT_SMTP_URL',
    default: undefined,
    defaultText: 'none: links are copied by hand',
    reason:
      'mail server for invitations and password resets: smtp://user:password@host:port, encrypted by STARTTLS unless it is this machine, or smtps://',
    read: readSmtpUrl,
  },
  mailFrom: {
    flag: '--mail-from <sender>',
    environment: 'QUERENT_MAIL_FROM',
    default: undefined,
    defaultText: 'none; needed with QUERENT_SMTP_URL',
    reason: 'sender of mails, such as "Search <search@example.org>"',
    read: readSender,
  },
  logLevel: {
    flag: '--log-level <level>',
    environment: 'QUERENT_LOG_LEVEL',
    default: 'info',
    reason: logLevels.join(', '),
    read: enumReader(...logLevels),
  },
}

/** In the order of the table. */
// Object.keys is typed string[]; the table is a literal with exactly these keys.
export const settingNames = Object.keys(settings) as SettingName[]

/** Where a server answers that was given no public address. */
export const loopbackOrigin = (host: string, port: number): string =>
  listeningOrigin(isLoopback(formatHost(host)) ? host : '127.0.0.1', port)

/** Where the server on this port is reached from its own machine, whatever its public address. */
export const listeningOrigin = (host: string, port: number): string =>
  `http://${/^(0\.0\.0\.0|::)$/.test(host) ? '127.0.0.1' : formatHost(host)}:${port}`

const formatHost = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/** Where a server is bound: also an address that stands for all of them. */
export const boundOrigin = (host: string, port: number): string => `http://${formatHost(host)}:${port}`

/** Whether the data folder holds nothing that is not elsewhere: it may be missing at a start, and be thrown away. */
export const isDataExternal = ({ key, storage, engine }: Config): boolean =>
  key !== undefined && 'connection' in storage && engine !== 'embedded'

export interface ConfigInput {
  /** Text of each flag that was given, by setting. */
  flags: Partial<Record<SettingName, string>>
  env: Readonly<Record<string, string | undefined>>
  /** The configuration file, parsed (YAML or JSON); `name` stands in messages. */
  file?: { name: string; settings: unknown }
}

/**
 * Reads every setting: a flag counts more than the environment, the environment more than the file, the file more than the default.
 * An empty environment variable counts as absent. Throws {@link ConfigError} at the first bad value, with where it came from.
 */
export const readConfig = ({ flags, env, file }: ConfigInput) => {
  const fromFile = readFileSettings(file)
  const sources = Object.fromEntries(settingNames.map(name => [name, 'default'])) as Record<
    SettingName,
    Source
  >

  /** OTEL_TRACES_SAMPLER_ARG may be that of another sampler; and who has no traces may have it for other programs. */
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
    const [source, text, place] = candidates.find(([, found]) => found !== undefined) ?? []
    if (source === undefined || text === undefined) return setting.default
    sources[name] = source
    try {
      return setting.read(text)
    } catch (error) {
      throw new ConfigError(`${place}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  const data = resolve(value('data'))
  const host = value('host')
  const port = value('port')
  const authPort = value('authPort')
  const config: Config = {
    data,
    host,
    port,
    authPort,
    baseUrl: value('baseUrl') ?? (port === 0 ? undefined : loopbackOrigin(host, port)),
    authUrl: value('authUrl') ?? (authPort === 0 ? undefined : loopbackOrigin(host, authPort)),
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
    invitationThrottle: value('invitationThrottle'),
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
    keyRotationDays: value('keyRotationDays'),
    smtpUrl: value('smtpUrl'),
    mailFrom: value('mailFrom'),
    logLevel: value('logLevel'),
  }
  refuseContradictions(config)
  return { config, sources }
}

const refuseContradictions = (config: Config): void => {
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
      `QUERENT_ENGINE_${engineUser === undefined ? 'USER' : 'PASSWORD'} is missing: OpenSearch takes a user and a password, or neither`,
    )
  if (smtpUrl !== undefined && mailFrom === undefined)
    throw new ConfigError(
      '--mail-from is missing: mails by QUERENT_SMTP_URL need a sender, such as "Search <search@example.org>"',
    )
  const otherServiceUrl = only === 'query' ? authUrl : only === 'authorization' ? baseUrl : only
  if (only !== undefined && otherServiceUrl === undefined)
    throw new ConfigError(
      `--${only === 'query' ? 'auth' : 'base'}-url is missing: with --only ${only} the other server is elsewhere, at no port 0`,
    )
  if (only === undefined && port === authPort && port !== 0)
    throw new ConfigError(`--port and --auth-port are both ${port}: the two servers need a port each`)
  const servicePorts = [...(only === 'authorization' ? [] : [port]), ...(only === 'query' ? [] : [authPort])]
  if (metricsPort !== 0 && servicePorts.some(each => each === metricsPort))
    throw new ConfigError(`--metrics-port is ${metricsPort} as well: metrics need a port of their own`)
  if (baseUrl !== undefined && baseUrl === authUrl)
    throw new ConfigError(
      `--base-url and --auth-url are both ${baseUrl}: the authorization server needs an origin of its own`,
    )
}

/** Text of each setting in the file; numbers, booleans and lists as they would stand in a flag. */
const readFileSettings = (file: ConfigInput['file']): Map<SettingName, string> => {
  const texts = new Map<SettingName, string>()
  const fileSettings = file?.settings ?? {}
  if (typeof fileSettings !== 'object' || Array.isArray(fileSettings))
    throw new ConfigError(`${file?.name}: it must hold settings by name, such as "port: 4000"`)
  for (const [key, raw] of Object.entries(fileSettings)) {
    const name = settingNames.find(candidate => candidate === key)
    if (name === undefined)
      throw new ConfigError(
        `${file?.name}: no setting is named ${quoted(key)}${didYouMean(key, settingNames) || '.'} All: ${listNames(settingNames)}`,
      )
    if (raw === null || raw === undefined) continue
    const parts: unknown[] = Array.isArray(raw) ? raw : [raw]
    if (parts.some(part => typeof part === 'object'))
      throw new ConfigError(`${name} in ${file?.name}: a text, number or list is allowed, not an object`)
    texts.set(name, parts.map(String).join(','))
  }
  return texts
}

/** What `--print-config` shows of each setting. Secrets are masked. */
export const showConfig = ({ config, sources }: ReturnType<typeof readConfig>) =>
  settingNames.map(name => {
    const { unit, environment, defaultText, reason } = settings[name]
    const value = showValue(name, config)
    return {
      name,
      value: value ?? defaultText ?? null,
      source: sources[name],
      environment,
      ...(unit === undefined ? {} : { unit }),
      reason,
    }
  })

const showValue = (name: SettingName, config: Config): string | number | string[] | undefined => {
  if (name === 'key') return config.key === undefined ? undefined : '(secret)'
  if (name === 'enginePassword') return config.enginePassword === undefined ? undefined : '(secret)'
  if (name === 'engine') return config.engine === 'embedded' ? config.engine : config.engine.nodes
  if (name === 'smtpUrl') return config.smtpUrl && maskPassword(config.smtpUrl)
  if (name !== 'storage') return config[name]
  return 'file' in config.storage ? `sqlite:${config.storage.file}` : maskPassword(config.storage.connection)
}

/** A password may stand in the authority of a connection string, or among its parameters. */
const maskPassword = (connection: string): string => {
  const url = new URL(connection)
  if (url.password) url.password = '***'
  for (const key of url.searchParams.keys()) if (/password/i.test(key)) url.searchParams.set(key, '***')
  return url.href
}
