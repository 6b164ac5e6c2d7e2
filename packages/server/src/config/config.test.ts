import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { defaultNativeSchemes } from '@querent/contract/client-uris'
import { ConfigError } from './config.ts'
import { type ConfigInput, readConfig } from './resolve.ts'
import { settingNames, settings } from './settings.ts'
import { showConfig } from './show.ts'

const read = (input: Partial<ConfigInput>) => readConfig({ flags: {}, env: {}, ...input })
const file = (values: unknown) => ({ name: 'querent.yaml', settings: values })

test('a flag counts more than the environment, the environment more than the file, the file more than the default', () => {
  const env = { QUERENT_PORT: '5001', QUERENT_HOST: '::1' }
  const resolved = read({
    flags: { port: '5000' },
    env,
    file: file({ port: 5002, host: '0.0.0.0', logLevel: 'warn' }),
  })
  assert.equal(resolved.config.port, 5000)
  assert.equal(resolved.config.host, '::1')
  assert.equal(resolved.config.logLevel, 'warn')
  assert.equal(resolved.config.authPort, 4001)
  assert.deepEqual(
    [resolved.sources.port, resolved.sources.host, resolved.sources.logLevel, resolved.sources.authPort],
    ['flag', 'environment', 'file', 'default'],
  )
})

test('the defaults are those of the contract', () => {
  const { config, sources } = read({})
  assert.deepEqual(config, {
    data: resolve('querent-data'),
    host: '127.0.0.1',
    port: 4000,
    authPort: 4001,
    baseUrl: 'http://127.0.0.1:4000',
    authUrl: 'http://127.0.0.1:4001',
    only: undefined,
    trustedProxy: [],
    storage: { file: `${resolve('querent-data')}/querent.db` },
    engine: 'embedded',
    engineUser: undefined,
    enginePassword: undefined,
    engineCa: undefined,
    enginePrefix: 'querent-',
    engineShards: 1,
    engineReplicas: 1,
    openCollections: 1000,
    workers: 1,
    rateLimit: 1_000_000,
    signInThrottle: 10,
    signInLogDays: 90,
    passwordLengthMin: 8,
    pathVersions: [],
    invitationThrottle: 5,
    internalHosts: [],
    dnsServers: [],
    embedders: {},
    openRegistration: undefined,
    nativeSchemes: [...defaultNativeSchemes],
    queriesAtOnce: 64,
    queriesWaiting: 10_000,
    queryTimeoutMs: 5000,
    staleSeconds: 30,
    whenCutOff: 'step-aside',
    shutdownSeconds: 10,
    drainSeconds: 0,
    metricsPort: 'off',
    metricsHost: '127.0.0.1',
    otlpEndpoint: undefined,
    traceRatio: 1,
    key: undefined,
    accessTokenAlgorithm: 'ES256',
    tokenShortcut: 'on',
    queryShortcut: 'on',
    keyRotationDays: 90,
    smtpUrl: undefined,
    mailFrom: undefined,
    logLevel: 'info',
  })
  assert.deepEqual(new Set(Object.values(sources)), new Set(['default']))
})

test('an address is an origin: a slash at its end is taken away, a port of 0 leaves it open', () => {
  const flags = { baseUrl: 'https://search.example.org/', authPort: '0' }
  const { config } = read({ flags })
  assert.equal(config.baseUrl, 'https://search.example.org')
  assert.equal(config.authUrl, undefined)
  assert.equal(read({ flags: { host: '::1' } }).config.baseUrl, 'http://[::1]:4000')
  assert.equal(read({ flags: { host: '0.0.0.0' } }).config.baseUrl, 'http://127.0.0.1:4000')
})

const bad: [name: keyof typeof settings, text: string, message: RegExp][] = [
  ['port', '65536', /^--port: "65536" is not a whole number from 0 to 65535$/],
  ['port', '-1', /^--port: /],
  ['port', '1e3', /^--port: /],
  ['authPort', '', /^--auth-port: /],
  ['data', '', /^--data: it is empty/],
  ['baseUrl', 'http://search.example.org', /^--base-url: .*unencrypted: use https/],
  ['baseUrl', 'http://10.0.0.1:4000', /unencrypted/],
  ['baseUrl', 'http://127.0.0.1.example.org', /unencrypted/],
  ['authUrl', 'https://example.org/auth', /^--auth-url: .*use https:\/\/example\.org, without path/],
  ['authUrl', 'https://example.org/?', /without path, query/],
  ['authUrl', 'https://me@example.org', /user/],
  ['authUrl', 'example.org', /is not an address/],
  ['authUrl', 'ftp://example.org', /does not start with https/],
  ['only', 'both', /^--only: "both" is not one of query, authorization$/],
  ['trustedProxy', '10.0.0.0/33', /neither an IP address nor a range/],
  ['trustedProxy', 'proxy.local', /neither an IP address nor a range/],
  ['internalHosts', 'https://agents.internal', /^--internal-hosts: .* is not a host such as/],
  ['internalHosts', '*.internal', /is not a host/],
  ['internalHosts', 'agents.internal/path', /is not a host/],
  ['storage', 'mysql://x', /^--storage: it is neither postgres/],
  ['engine', 'elastic', /^--engine: "elastic" is neither "embedded" nor addresses of OpenSearch/],
  ['engine', 'http://search.example.org:9200', /unencrypted/],
  ['engine', 'https://a.example.org:9200,b:9200', /is neither "embedded"/],
  ['enginePrefix', 'Search-', /^--engine-prefix: .* is not a valid index prefix/],
  ['engineShards', '0', /^--engine-shards: /],
  ['rateLimit', '0', /^--rate-limit: "0" is neither a whole number .* nor "off"$/],
  ['signInThrottle', 'no', /^--sign-in-throttle: /],
  ['passwordLengthMin', '7', /^--password-length-min: /],
  ['passwordLengthMin', '65', /^--password-length-min: /],
  ['accessTokenAlgorithm', 'RS256', /is not one of ES256, EdDSA/],
  ['keyRotationDays', '0', /^--key-rotation-days: "0" is neither .* from 1 to 3650, nor "off"$/],
  ['mailFrom', 'Search', /^--mail-from: "Search" is not a sender such as/],
  ['mailFrom', 'Search <a@example.org>\nBcc: b@example.org', /is not a sender/],
  ['metricsPort', 'on', /^--metrics-port: "on" is neither a whole number from 0 to 65535 nor "off"$/],
  [
    'otlpEndpoint',
    'https://me:hush@otel.example.org',
    /^--otlp-endpoint: it is not an address such as (?!.*hush)/,
  ],
  ['traceRatio', '10', /^--trace-ratio: "10" is not a number from 0 to 1/],
  ['logLevel', 'loud', /is not one of fatal/],
]
for (const [name, text, message] of bad)
  test(`${name} ${JSON.stringify(text)} is rejected with its name and the allowed values`, () => {
    assert.throws(
      () => read({ flags: { [name]: text } }),
      (error: unknown) =>
        error instanceof ConfigError && message.test(error.message) && !error.message.includes('\n'),
    )
  })

test('a bad value names the place it came from', () => {
  assert.throws(() => read({ env: { QUERENT_PORT: 'x' } }), /QUERENT_PORT: "x"/)
  assert.throws(() => read({ file: file({ port: 'x' }) }), /port in querent\.yaml: "x"/)
})

test('an unknown name in the file is rejected with the nearest one', () => {
  assert.throws(
    () => read({ file: file({ authport: 1 }) }),
    /no setting is named "authport"; did you mean "authPort"\? All: data, host/,
  )
  assert.throws(() => read({ file: file([1]) }), /must contain settings by name/)
  assert.throws(() => read({ file: file({ port: { at: 1 } }) }), /not an object/)
})

test('an empty file, an empty setting and an empty environment variable count as absent', () => {
  assert.equal(read({ file: file(null) }).config.port, 4000)
  assert.equal(read({ file: file({ port: null }), env: { QUERENT_PORT: '' } }).config.port, 4000)
})

test('a list in the file and a list in a flag mean the same', () => {
  const range = ['10.0.0.0/8', '::1']
  assert.deepEqual(read({ file: file({ trustedProxy: range }) }).config.trustedProxy, range)
  assert.deepEqual(read({ flags: { trustedProxy: range.join(', ') } }).config.trustedProxy, range)
})

test('the address of a collector comes from the variable that all programs share, unless ours is set', () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318/' }
  const { config, sources } = read({ env })
  assert.deepEqual([config.otlpEndpoint, sources.otlpEndpoint], ['http://otel:4318', 'environment'])
  assert.equal(
    read({ env: { ...env, QUERENT_OTLP_ENDPOINT: 'http://ours' } }).config.otlpEndpoint,
    'http://ours',
  )
  const wrong = { OTEL_EXPORTER_OTLP_ENDPOINT: 'otel' }
  assert.throws(() => read({ env: wrong }), /OTEL_EXPORTER_OTLP_ENDPOINT: it is not an address/)
})

test('the share of traces comes from the variable that all programs share, where that means a share and there are traces', () => {
  const ratioIn = (env: ConfigInput['env']) => read({ env }).config.traceRatio
  const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318', OTEL_TRACES_SAMPLER_ARG: '0.25' }
  assert.equal(ratioIn(traced), 0.25)
  assert.equal(ratioIn({ ...traced, OTEL_TRACES_SAMPLER: 'parentbased_traceidratio' }), 0.25)
  assert.equal(ratioIn({ ...traced, QUERENT_TRACE_RATIO: '0.5' }), 0.5)
  const remote = { OTEL_TRACES_SAMPLER: 'jaeger_remote', OTEL_TRACES_SAMPLER_ARG: 'endpoint=http://x' }
  assert.equal(ratioIn({ ...traced, ...remote }), 1)
  assert.equal(ratioIn({ OTEL_TRACES_SAMPLER_ARG: 'endpoint=http://x' }), 1)
  assert.throws(
    () => ratioIn({ ...traced, OTEL_TRACES_SAMPLER_ARG: '10' }),
    /^.*OTEL_TRACES_SAMPLER_ARG: "10"/,
  )
})

test('the two servers need a port and an origin each', () => {
  assert.throws(() => read({ flags: { port: '5000', authPort: '5000' } }), /need a port each/)
  assert.throws(() => read({ flags: { metricsPort: '4001' } }), /metrics need a port of their own/)
  // A port that is not opened is free.
  assert.equal(read({ flags: { metricsPort: '4001', only: 'query' } }).config.metricsPort, 4001)
  assert.equal(read({ flags: { metricsPort: '4000', only: 'authorization' } }).config.metricsPort, 4000)
  assert.throws(() => read({ flags: { only: 'query', authPort: '0' } }), /--auth-url is missing/)
  const portConflict = { metricsPort: '4000', only: 'query' }
  assert.throws(() => read({ flags: portConflict }), /metrics need a port of their own/)
  const flags = { baseUrl: 'https://a.example', authUrl: 'https://a.example/' }
  assert.throws(() => read({ flags }), /needs an origin of its own/)
})

test('a mail server needs a sender', () => {
  const env = { QUERENT_SMTP_URL: 'smtp://mail.example.org' }
  assert.throws(() => read({ env }), /--mail-from is missing/)
  const { config } = read({ env, flags: { mailFrom: 'Search <search@example.org>' } })
  assert.deepEqual(
    [config.smtpUrl, config.mailFrom],
    ['smtp://mail.example.org', 'Search <search@example.org>'],
  )
})

test('an address with a password that is not percent-encoded names the setting and says what to do', () => {
  const passwords = [
    '100%',
    'a%zzb',
    '%e4',
    'hush/1',
    '12/hush',
    'hush#1',
    '12#hush',
    'hush?1',
    '12?hush',
    '100%/#',
  ]
  for (const password of passwords)
    for (const [name, url] of [
      ['QUERENT_SMTP_URL', `smtp://me:${password}@mail.example.org`],
      ['QUERENT_SMTP_URL', `smtps://${password}:x@mail.example.org:465`],
      ['QUERENT_STORAGE', `postgres://me:${password}@db.example.org/querent`],
    ] as const)
      assert.throws(
        () => read({ env: { [name]: url, QUERENT_MAIL_FROM: 'a@example.org' } }),
        ({ message }: Error) =>
          message.startsWith(`${name}: `) &&
          message.includes('percent-encode') &&
          !message.includes(password),
        url,
      )
  const encoded = encodeURIComponent('100% /#?@ü')
  const smtp = `smtp://me:${encoded}@mail.example.org?requireTLS=false`
  const connection = `postgresql://me:${encoded}@db.example.org/querent?application_name=a@b`
  const { config } = read({
    env: { QUERENT_SMTP_URL: smtp, QUERENT_STORAGE: connection, QUERENT_MAIL_FROM: 'a@example.org' },
  })
  assert.deepEqual([config.smtpUrl, config.storage], [smtp, { connection }])
})

test('secrets are never shown, nor taken from a flag', () => {
  const key = 'k'.repeat(43)
  assert.equal(settings.key.flag, undefined)
  const output = JSON.stringify(
    showConfig(
      read({ env: { QUERENT_KEY: key, QUERENT_STORAGE: 'postgres://me:hush@db/querent?sslpassword=quiet' } }),
    ),
  )
  assert.ok(!output.includes(key) && !output.includes('hush') && !output.includes('quiet'))
  assert.ok(output.includes('postgres://me:***@db/querent'))
  assert.equal(settings.smtpUrl.flag, undefined)
  const smtp = 'smtp://me:hush@mail.example.org:587'
  const mails = JSON.stringify(
    showConfig(read({ env: { QUERENT_SMTP_URL: smtp }, flags: { mailFrom: 'a@example.org' } })),
  )
  assert.ok(!mails.includes('hush') && mails.includes('smtp://me:***@mail.example.org:587'))
  for (const wrong of ['me:hush@mail.example.org', 'http://me:hush@x', 'smtp://', 'smtp://x/hush'])
    assert.throws(
      () => read({ env: { QUERENT_SMTP_URL: wrong } }),
      (error: Error) =>
        /^QUERENT_SMTP_URL: it is not of the form/.test(error.message) && !/hush@/.test(error.message),
    )
  assert.equal(settings.engineUser.flag ?? settings.enginePassword.flag, undefined)
  const engine = 'https://me:hush@search.example.org:9200'
  assert.throws(
    () => read({ flags: { engine } }),
    (error: Error) =>
      /QUERENT_ENGINE_PASSWORD in the environment/.test(error.message) && !/hush/.test(error.message),
  )
  const credentials = { QUERENT_ENGINE_USER: 'me', QUERENT_ENGINE_PASSWORD: 'hush' }
  const nodes = 'https://a.example.org:9200, https://b.example.org:9200/'
  const searched = showConfig(read({ flags: { engine: nodes }, env: credentials }))
  assert.ok(!JSON.stringify(searched).includes('hush'))
  assert.deepEqual(searched.find(({ name }) => name === 'engine')?.value, [
    'https://a.example.org:9200',
    'https://b.example.org:9200',
  ])
  assert.throws(
    () => read({ env: { QUERENT_ENGINE_USER: 'me' } }),
    /^Error: QUERENT_ENGINE_PASSWORD is missing/,
  )
  const short = () => read({ env: { QUERENT_KEY: 'tooshort' } })
  assert.throws(short, (error: Error) => !error.message.includes('tooshort'))
})

test('every setting has an environment variable of its own, and a reason', () => {
  const variables = settingNames.map(name => settings[name].environment)
  assert.equal(new Set(variables).size, settingNames.length)
  for (const name of settingNames) {
    const words = name.replace(/[A-Z]/g, letter => `_${letter}`).toUpperCase()
    assert.equal(settings[name].environment, `QUERENT_${words}`)
    assert.ok(settings[name].description.length > 10)
  }
})
