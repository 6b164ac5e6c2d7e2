/** All settings: flags of `querent serve`, help, environment variables and `--print-config`. A new one is a row here and in `Config`. */
import { resolve } from 'node:path'
import { addressSettings } from './address-settings.ts'
import { type Config, logLevels, type SettingName } from './config.ts'
import {
  enumReader,
  integerReader,
  nonEmptyReader,
  readAddresses,
  readCollectorUrl,
  readDays,
  readEmbedders,
  readEngine,
  readHosts,
  readIndexPrefix,
  readNameServers,
  readNumberOrOff,
  readPortOrOff,
  readRatio,
  readSecretKey,
  readSender,
  readSmtpUrl,
  readStorageLocation,
} from './readers.ts'
import { registrationSettings } from './registration-settings.ts'
import type { Setting } from './setting.ts'

/** Tests compare the defaults with the documents that state them. */
export const settings: {
  [K in SettingName]: Setting<Config[K] | (K extends 'storage' ? undefined : never)>
} = {
  data: {
    flag: '--data <dir>',
    environment: 'QUERENT_DATA',
    default: 'querent-data',
    description: 'data folder with everything the server stores; create it with `querent init`',
    read: nonEmptyReader('a folder'),
  },
  host: {
    flag: '--host <address>',
    environment: 'QUERENT_HOST',
    default: '127.0.0.1',
    description: 'address to listen on; the default is reachable from this machine only',
    read: nonEmptyReader('an address such as 0.0.0.0'),
  },
  port: {
    flag: '--port <port>',
    environment: 'QUERENT_PORT',
    default: 4000,
    description: 'port of the query service; 0: any free one',
    read: integerReader(0, 65_535),
  },
  authPort: {
    flag: '--auth-port <port>',
    environment: 'QUERENT_AUTH_PORT',
    default: 4001,
    description: 'port of the authorization server; 0: any free one',
    read: integerReader(0, 65_535),
  },
  ...addressSettings,
  workers: {
    flag: '--workers <number>',
    environment: 'QUERENT_WORKERS',
    default: 1,
    unit: 'threads',
    description:
      'threads that answer queries, for machines with more than two cores: one takes about one core and 60 MB; the search engine has its own threads',
    read: integerReader(1, 64),
  },
  only: {
    flag: '--only <server>',
    environment: 'QUERENT_ONLY',
    default: undefined,
    defaultText: 'both',
    description: 'start only one server in this process: `query` or `authorization`',
    read: enumReader('query', 'authorization'),
  },
  trustedProxy: {
    flag: '--trusted-proxy <addresses>',
    environment: 'QUERENT_TRUSTED_PROXY',
    default: [],
    defaultText: 'none',
    description:
      'IP addresses or ranges of proxies whose X-Forwarded-For the server trusts; trusting others lets clients forge their address',
    read: readAddresses,
  },
  storage: {
    flag: '--storage <connection>',
    environment: 'QUERENT_STORAGE',
    default: undefined,
    defaultText: 'sqlite:<data>/querent.db',
    description: 'database for people, accounts, keys and definitions; use postgres://… to run several nodes',
    read: readStorageLocation,
  },
  engine: {
    flag: '--engine <engine>',
    environment: 'QUERENT_ENGINE',
    default: 'embedded',
    description:
      'search engine: `embedded`, in the data folder, or the addresses of OpenSearch nodes (https://…, separated by commas), to run several nodes',
    read: readEngine,
  },
  engineUser: {
    environment: 'QUERENT_ENGINE_USER',
    default: undefined,
    defaultText: 'none',
    description: 'user name for OpenSearch',
    read: nonEmptyReader('a name'),
  },
  enginePassword: {
    environment: 'QUERENT_ENGINE_PASSWORD',
    default: undefined,
    defaultText: 'none; required with QUERENT_ENGINE_USER',
    description: 'password for OpenSearch',
    read: nonEmptyReader('a password'),
  },
  engineCa: {
    flag: '--engine-ca <file>',
    environment: 'QUERENT_ENGINE_CA',
    default: undefined,
    defaultText: 'the authorities that Node.js trusts',
    description: 'PEM file of the certificate authority of the OpenSearch nodes',
    read: text => resolve(nonEmptyReader('a file')(text)),
  },
  enginePrefix: {
    flag: '--engine-prefix <name>',
    environment: 'QUERENT_ENGINE_PREFIX',
    default: 'querent-',
    description: 'prefix of index names in OpenSearch; use a different one per service on a shared cluster',
    read: readIndexPrefix,
  },
  engineShards: {
    flag: '--engine-shards <number>',
    environment: 'QUERENT_ENGINE_SHARDS',
    default: 1,
    description: 'primary shards of each new index in OpenSearch',
    read: integerReader(1, 1024),
  },
  engineReplicas: {
    flag: '--engine-replicas <number>',
    environment: 'QUERENT_ENGINE_REPLICAS',
    default: 1,
    description: 'replicas per shard of each new index in OpenSearch; with 0, losing a node loses documents',
    read: integerReader(0, 20),
  },
  openCollections: {
    flag: '--open-collections <number>',
    environment: 'QUERENT_OPEN_COLLECTIONS',
    default: 1000,
    unit: 'collections',
    description:
      'maximum number of open collections in the embedded engine; each takes up to 0.5 MB, 6 files and 15 of the 65,530 memory maps that Linux gives a process; a query opens a closed one and closes the least recently used one',
    read: integerReader(1, 100_000),
  },
  rateLimit: {
    flag: '--rate-limit <number>',
    environment: 'QUERENT_RATE_LIMIT',
    default: 1_000_000,
    unit: 'requests per minute',
    description:
      'maximum requests per account and minute, so that a runaway client does not slow down others; `off` disables the limit',
    read: readNumberOrOff,
  },
  signInThrottle: {
    flag: '--sign-in-throttle <number>',
    environment: 'QUERENT_SIGN_IN_THROTTLE',
    default: 10,
    unit: 'failures per minute',
    description:
      'maximum failed sign-ins per account and minute, and ten times as many per IP address, against password guessing; `off` disables the limit',
    read: readNumberOrOff,
  },
  signInLogDays: {
    flag: '--sign-in-log-days <number>',
    environment: 'QUERENT_SIGN_IN_LOG_DAYS',
    default: 90,
    unit: 'days',
    description:
      'keep entries of the sign-in log for this many days, with their IP addresses; a flood pushes out its own entries sooner',
    read: integerReader(1, 3650),
  },
  passwordLengthMin: {
    flag: '--password-length-min <number>',
    environment: 'QUERENT_PASSWORD_LENGTH_MIN',
    default: 8,
    unit: 'characters',
    description: 'minimum length of new passwords, 8 to 64; NIST SP 800-63B-4: 15 without second factor',
    read: integerReader(8, 64),
  },
  invitationThrottle: {
    flag: '--invitation-throttle <number>',
    environment: 'QUERENT_INVITATION_THROTTLE',
    default: 5,
    unit: 'mails per hour',
    description:
      'maximum invitation mails per address and hour, and 20 times as many per workspace and day, against mail floods; `off` disables the limit',
    read: readNumberOrOff,
  },
  ...registrationSettings,
  internalHosts: {
    flag: '--internal-hosts <hosts>',
    environment: 'QUERENT_INTERNAL_HOSTS',
    default: [],
    defaultText: 'none',
    description:
      'hosts in your own network (`agents.internal` or `agents.internal:8443`, separated by commas) from which the server may fetch Client ID Metadata Documents, to which it may send logout tokens and the texts of embedders, and where OpenID providers of workspaces may be; others must have public addresses',
    read: readHosts,
  },
  dnsServers: {
    flag: '--dns-servers <addresses>',
    environment: 'QUERENT_DNS_SERVERS',
    default: [],
    defaultText: 'those of the machine',
    description: 'IP addresses of name servers for proofs of domains, such as `192.0.2.53:5353`',
    read: readNameServers,
  },
  embedders: {
    environment: 'QUERENT_EMBEDDERS',
    default: {},
    defaultText: 'none',
    description:
      'model servers that turn texts into vectors, by name, as JSON: {"small": {"url": "https://…/v1", "model": "…", "dimensions": 384, "key": "…", "batchSize": 32, "timeLimit": "30s"}}; workspaces name them in `embed.with`',
    read: readEmbedders,
  },
  queriesAtOnce: {
    flag: '--queries-at-once <number>',
    environment: 'QUERENT_QUERIES_AT_ONCE',
    default: 64,
    unit: 'queries',
    description: 'maximum concurrent queries per account; further ones wait, and waiting accounts take turns',
    read: integerReader(1, 10_000),
  },
  queriesWaiting: {
    flag: '--queries-waiting <number>',
    environment: 'QUERENT_QUERIES_WAITING',
    default: 10_000,
    unit: 'queries',
    description: 'maximum waiting queries per account; further ones get 429',
    read: integerReader(0, 1_000_000),
  },
  queryTimeoutMs: {
    flag: '--query-timeout-ms <number>',
    environment: 'QUERENT_QUERY_TIMEOUT_MS',
    default: 5000,
    unit: 'ms',
    description: 'maximum duration of a query, including its wait; slower ones get 503',
    read: integerReader(1, 600_000),
  },
  staleSeconds: {
    flag: '--stale-seconds <number>',
    environment: 'QUERENT_STALE_SECONDS',
    default: 30,
    unit: 's',
    description:
      'keep answering from cached memberships for this long while the storage is unreachable; 0: not at all',
    read: integerReader(0, 3600),
  },
  whenCutOff: {
    flag: '--when-cut-off <step-aside|serve>',
    environment: 'QUERENT_WHEN_CUT_OFF',
    default: 'step-aside',
    description:
      'reply of /readyz while the storage is unreachable: `step-aside` sends 503 at once, so that load balancers use other nodes; `serve` sends 200 until --stale-seconds have passed',
    read: enumReader('step-aside', 'serve'),
  },
  shutdownSeconds: {
    flag: '--shutdown-seconds <number>',
    environment: 'QUERENT_SHUTDOWN_SECONDS',
    default: 10,
    unit: 's',
    description: 'on shutdown, let running requests finish for this long, then abort them',
    read: integerReader(0, 3600),
  },
  drainSeconds: {
    flag: '--drain-seconds <number>',
    environment: 'QUERENT_DRAIN_SECONDS',
    default: 0,
    unit: 's',
    description:
      'after SIGTERM, keep serving for this long with /readyz at 503, so that load balancers notice first',
    read: integerReader(0, 3600),
  },
  metricsPort: {
    flag: '--metrics-port <port>',
    environment: 'QUERENT_METRICS_PORT',
    default: 'off',
    description:
      'port of /metrics for Prometheus; it is separate so that the public ports never expose metrics; 0: any free one; `off` disables it',
    read: readPortOrOff,
  },
  metricsHost: {
    flag: '--metrics-host <address>',
    environment: 'QUERENT_METRICS_HOST',
    default: '127.0.0.1',
    description: 'address to serve /metrics on; the default is reachable from this machine only',
    read: nonEmptyReader('an address such as 0.0.0.0'),
  },
  otlpEndpoint: {
    flag: '--otlp-endpoint <address>',
    environment: 'QUERENT_OTLP_ENDPOINT',
    standard: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    default: undefined,
    defaultText: 'none: no traces',
    description:
      'base address of an OpenTelemetry collector for traces by OTLP over HTTP; falls back to OTEL_EXPORTER_OTLP_ENDPOINT',
    read: readCollectorUrl,
  },
  traceRatio: {
    flag: '--trace-ratio <share>',
    environment: 'QUERENT_TRACE_RATIO',
    standard: 'OTEL_TRACES_SAMPLER_ARG',
    default: 1,
    description:
      'share of requests to trace, 0 to 1; a `traceparent` header overrides it; falls back to OTEL_TRACES_SAMPLER_ARG if OTEL_TRACES_SAMPLER is a ratio',
    read: readRatio,
  },
  key: {
    environment: 'QUERENT_KEY',
    default: undefined,
    defaultText: 'a file of mode 0600 in the data folder',
    description: 'encrypts signing keys at rest; use the same key on all nodes of a service',
    read: readSecretKey,
  },
  accessTokenAlgorithm: {
    flag: '--access-token-algorithm <name>',
    environment: 'QUERENT_ACCESS_TOKEN_ALGORITHM',
    default: 'ES256',
    description: 'signature algorithm of access tokens: ES256 or EdDSA; both sign ten times as fast as RS256',
    read: enumReader('ES256', 'EdDSA'),
  },
  tokenShortcut: {
    flag: '--token-shortcut <on|off>',
    environment: 'QUERENT_TOKEN_SHORTCUT',
    default: 'on',
    description:
      'answer plain client credentials requests without the OpenID library, with the same replies in less than half the time; `off` sends them through the library',
    read: enumReader('on', 'off'),
  },
  queryShortcut: {
    flag: '--query-shortcut <on|off>',
    environment: 'QUERENT_QUERY_SHORTCUT',
    default: 'on',
    description:
      'answer conditional requests for unchanged results with 304 from memory, and keep decisions about access until something changes; `off` takes every query through all its steps',
    read: enumReader('on', 'off'),
  },
  keyRotationDays: {
    flag: '--key-rotation-days <number>',
    environment: 'QUERENT_KEY_ROTATION_DAYS',
    default: 90,
    unit: 'days',
    description:
      'replace each signing key after this many days; the new one is published a day before its use; `off` disables rotation',
    read: readDays,
  },
  smtpUrl: {
    environment: 'QUERENT_SMTP_URL',
    default: undefined,
    defaultText: 'none: you copy links by hand',
    description:
      'mail server for invitations and password resets: smtp://user:password@host:port, with STARTTLS required unless it is this machine, or smtps://',
    read: readSmtpUrl,
  },
  mailFrom: {
    flag: '--mail-from <sender>',
    environment: 'QUERENT_MAIL_FROM',
    default: undefined,
    defaultText: 'none; required with QUERENT_SMTP_URL',
    description: 'sender of mails, such as "Search <search@example.org>"',
    read: readSender,
  },
  logLevel: {
    flag: '--log-level <level>',
    environment: 'QUERENT_LOG_LEVEL',
    default: 'info',
    description: `least severe log level to write: ${logLevels.join(', ')}`,
    read: enumReader(...logLevels),
  },
}

/** Names of all settings, in the order of the table. */
// Object.keys is typed string[]; the table is a literal with exactly these keys.
export const settingNames = Object.keys(settings) as SettingName[]
