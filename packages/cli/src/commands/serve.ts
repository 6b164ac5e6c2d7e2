import { type Config, isDataExternal } from '@querent/server/config/config'
import { settingNames, settings } from '@querent/server/config/settings'
import { showConfig } from '@querent/server/config/show'
import type { Command } from 'commander'
import { defineCommand, option } from '#command-line/define'
import { CommandError } from '#command-line/failure'
import { type Globals, quoteArgument } from '#command-line/globals'
import { type Servers, startServers } from '#connection/server-process'
import { readSettings } from '#connection/server-settings'
import { statIfPresent } from '#connection/stat'
import { print } from '#terminal/output'

interface Options extends Globals {
  config?: string
  printConfig?: true
}

export const serve = (): Command => {
  const command = defineCommand(
    'serve',
    'Run the query service and the authorization server until SIGTERM or Ctrl-C.',
    'querent serve --data querent-data',
    'querent serve --base-url https://search.example.org --auth-url https://login.example.org --print-config',
  )
    .addOption(
      option('--config <file>', 'configuration file, YAML or JSON: settings by name, such as authPort: 4001'),
    )
    .addOption(option('--print-config', 'show every setting and its source, and exit'))
  for (const name of settingNames) {
    const { flag, environment, description, default: fallback, defaultText, unit } = settings[name]
    // --data is an option of every command.
    if (flag === undefined || name === 'data') continue
    const defaultValue = defaultText ?? String(fallback)
    // The settings table reads the environment itself, so that --print-config can name the source. Commander must not read it.
    command.option(
      flag,
      `${description} (default: ${defaultValue}${unit ? ` ${unit}` : ''}, env: ${environment})`,
    )
  }
  return command.action(async (_: unknown, self: Command) => {
    const options = self.optsWithGlobals<Options>()
    const read = await readSettings(withoutEnvironment(options, self))
    if (options.printConfig) return print(options, await formatConfig(read))
    const { config } = read
    if (!isDataExternal(config) && !(await statIfPresent(config.data)))
      throw new CommandError(describeMissingFolder(config))
    const server = await startServers(config)
    if (!server.isStopping()) announce(options, server)
    const lockError = await Promise.race([server.stopRequested, server.lockLost])
    await server.close()
    if (lockError) throw lockError
  })
}

/** Prints that the servers are ready, and how the first operator chooses a password. */
const announce = (options: Options, server: Servers): void => {
  const { baseUrl, authUrl, port, authPort, metricsUrl, firstOperator } = server
  const served = [
    ...(port === undefined ? [] : [`queries at ${withPort(baseUrl, port)}`]),
    ...(authPort === undefined
      ? []
      : [`authorization at ${withPort(authUrl, authPort)}`, `console at ${authUrl}/console/`]),
    ...(metricsUrl ? [`metrics at ${metricsUrl}`] : []),
  ]
  const ready = `Querent is ready: ${served.join(', ')}`
  print(options, {
    json: {
      ready: true,
      baseUrl,
      authUrl,
      ...(port === undefined ? {} : { port }),
      ...(authPort === undefined ? {} : { authPort, consoleUrl: `${authUrl}/console/` }),
      pid: process.pid,
      ...(metricsUrl ? { metricsUrl } : {}),
      ...(firstOperator ? { firstOperator } : {}),
    },
    text: firstOperator ? `${ready}\n\n${firstSteps(firstOperator)}` : ready,
  })
}

/** Adds the port that a proxy forwards to, if the address does not contain it. */
const withPort = (publicUrl: string, port: number): string =>
  new URL(publicUrl).port === String(port) ? publicUrl : `${publicUrl} (port ${port})`

const describeMissingFolder = ({ data, storage, key }: Config): string => {
  const make = `create it with \`querent init --data ${quoteArgument(data)} --admin EMAIL\``
  if (!('connection' in storage)) return `there is no data folder ${data}: ${make}`
  return key === undefined
    ? `QUERENT_KEY is missing, and there is no data folder ${data} with a key: give the key that this storage was created with; for a new installation, ${make}`
    : `there is no data folder ${data} for the documents of the embedded engine: if this node shares a storage, give --engine with the addresses of OpenSearch, as on every node; for a new installation, ${make}`
}

const firstSteps = ({ email, url, expiresAt }: { email: string; url: string; expiresAt: string }): string =>
  `No operator has a password yet. Choose one for ${email}:\n\n  ${url}\n\nThe link works once, until ${expiresAt}. Until then, each start prints it again.`

/** Commander reads --data from the environment. Without it, the settings table reports the environment as the source. */
const withoutEnvironment = ({ data, ...options }: Options, command: Command): Options =>
  data === undefined || command.getOptionValueSourceWithGlobals('data') === 'env'
    ? options
    : { ...options, data }

const formatConfig = async (read: Parameters<typeof showConfig>[0]) => {
  const { formatListing: listing } = await import('#terminal/table')
  const rows = showConfig(read)
  const cells = rows.map(({ name, value, unit, source, environment }) => {
    const text = Array.isArray(value) ? value.join(', ') || 'none' : String(value ?? 'none')
    return [name, unit && value !== 'off' ? `${text} ${unit}` : text, source, environment]
  })
  return {
    json: Object.fromEntries(rows.map(({ name, value, source }) => [name, { value, source }])),
    text: listing(['setting', 'value', 'from', 'variable'], cells, ''),
  }
}
