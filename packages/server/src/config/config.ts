/** The settings of a server as typed values. Only `main` and `move` read them; everything else receives values. */
import { isLoopback } from '@querent/contract/server-origin'
import type { EmbedderSettings } from '#embedding/embedders'

/** The validated settings of one server. */
export interface Config {
  /** Absolute path of the data folder. */
  data: string
  host: string
  /** 0 means any free port. */
  port: number
  /** 0 means any free port. */
  authPort: number
  /** Origin without a trailing slash. Undefined only with port 0: then it is the {@link loopbackOrigin} of the assigned port. */
  baseUrl: string | undefined
  authUrl: string | undefined
  /** Threads that answer queries. */
  workers: number
  /** Undefined starts both servers. */
  only: 'query' | 'authorization' | undefined
  /** IP addresses and CIDR ranges. */
  trustedProxy: string[]
  /** Absolute path of a SQLite file, or a PostgreSQL connection string. */
  storage: { file: string } | { connection: string }
  /** Stores documents in the data folder, or in OpenSearch with nodes at these origins. */
  engine: 'embedded' | { nodes: string[] }
  engineUser: string | undefined
  enginePassword: string | undefined
  /** PEM file. */
  engineCa: string | undefined
  enginePrefix: string
  engineShards: number
  engineReplicas: number
  openCollections: number
  /** Requests per account and minute. */
  rateLimit: number | 'off'
  /** Failed sign-ins per account and minute. */
  signInThrottle: number | 'off'
  signInLogDays: number
  /** Fewest characters of a new password. */
  passwordLengthMin: number
  invitationThrottle: number | 'off'
  /** Further version numbers in paths. */
  pathVersions: readonly string[]
  /** `host` or `host:port`, as in a URL. */
  internalHosts: string[]
  /** IP addresses, with an optional port. Empty: those of the machine. */
  dnsServers: string[]
  /** Contains keys. */
  embedders: Readonly<Record<string, EmbedderSettings>>
  openRegistration: string | undefined
  /** Schemes without a dot that native applications may use for redirect URIs. */
  nativeSchemes: readonly string[]
  queriesAtOnce: number
  queriesWaiting: number
  queryTimeoutMs: number
  /** 0 disables answers from stale memberships. */
  staleSeconds: number
  whenCutOff: 'step-aside' | 'serve'
  shutdownSeconds: number
  drainSeconds: number
  /** 0 means any free port. */
  metricsPort: number | 'off'
  metricsHost: string
  /** Base address of an OTLP collector, without a trailing slash. Undefined disables traces. */
  otlpEndpoint: string | undefined
  /** Share of requests to trace, 0 to 1, unless their `traceparent` decides. */
  traceRatio: number
  /** Undefined uses the key in a file of mode 0600 in the data folder. */
  key: string | undefined
  accessTokenAlgorithm: 'ES256' | 'EdDSA'
  tokenShortcut: 'on' | 'off'
  queryShortcut: 'on' | 'off'
  keyRotationDays: number | 'off'
  /** Contains a password. Undefined disables mails. */
  smtpUrl: string | undefined
  mailFrom: string | undefined
  logLevel: (typeof logLevels)[number]
}
export type SettingName = keyof Config
export type Source = 'flag' | 'environment' | 'file' | 'default'

/** A missing, contradictory or invalid setting. The message is one line that names the setting and the allowed values. */
export class ConfigError extends Error {}

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** Reports whether the data folder contains no data of its own, so that it may be missing at the start or be deleted. */
export const isDataExternal = ({ key, storage, engine }: Config): boolean =>
  key !== undefined && 'connection' in storage && engine !== 'embedded'

/** Returns the default public origin of a server. */
export const loopbackOrigin = (host: string, port: number): string =>
  listeningOrigin(isLoopback(formatHost(host)) ? host : '127.0.0.1', port)

/** Returns the origin at which this machine reaches the server, whatever its public origin. */
export const listeningOrigin = (host: string, port: number): string =>
  `http://${/^(0\.0\.0\.0|::)$/.test(host) ? '127.0.0.1' : formatHost(host)}:${port}`

const formatHost = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/** Returns the origin that the server is bound to, which may be a wildcard address. */
export const boundOrigin = (host: string, port: number): string => `http://${formatHost(host)}:${port}`
