import { ApiError, queryApi } from '@querent/client'
import type { Command } from 'commander'
import { defineCommand, option } from '#command-line/define'
import { CommandError } from '#command-line/failure'
import { type Globals, quoteArgument } from '#command-line/globals'
import { connect } from '#connection/connect'
import { startServers } from '#connection/server-process'
import { readSettings } from '#connection/server-settings'
import { firstToken, openDemoAccount } from '#demo/account'
import { nameLoopback } from '#demo/addresses'
import { importCities } from '#demo/cities'
import { applyDictionary, dictionary, hasDictionary, importDictionary } from '#demo/dictionary'
import { type Demo, openDemo, saveDemo } from '#demo/folder'
import { demoQuery, demoStack, formatSummary } from '#demo/summary'
import { entryCount } from '#dictionary/wordnet'
import { dim, note, print, say } from '#terminal/output'

/** Prints the result and the duration of each step. */
const createStepReporter = (globals: { json?: true | undefined }) => {
  const startedMs = performance.now()
  const secondsSince = (ms: number): number => (performance.now() - ms) / 1000
  const step = async <T>(work: () => Promise<T>, done: (result: T) => string): Promise<T> => {
    const stepStartedMs = performance.now()
    const result = await work()
    const seconds = `${secondsSince(stepStartedMs).toFixed(2)} s`
    say(globals, `${dim(seconds.padStart(8))}  ${done(result)}`)
    return result
  }
  return { step, seconds: () => secondsSince(startedMs) }
}

interface Options extends Globals {
  port?: string
  authPort?: string
  exit?: true
}

const defaultDemoData = 'querent-demo'
/** The only settings that the demo takes from the environment: it always uses its own folder and runs both servers on this machine. */
const honoredVariables = [
  'QUERENT_HOST',
  'QUERENT_PORT',
  'QUERENT_AUTH_PORT',
  'QUERENT_LOG_LEVEL',
  'QUERENT_SMTP_URL',
  'QUERENT_MAIL_FROM',
]
const resultsShown = 5
/** The first start after an update of the engine builds all indexes again. Until then, the server asks to try again every few seconds. */
const rebuildAttemptsMax = 100

export const demo = (): Command =>
  defineCommand(
    'demo',
    'Run a complete demo: a data folder, both servers, an English dictionary of 117,791 entries, 24,359 cities on a map, an account, a token and a search. Keeps serving until Ctrl-C.',
    'querent demo',
    'querent demo --data /tmp/demo --port 0 --auth-port 0 --json',
  )
    // The table of settings reads these two from the environment itself.
    .option('--port <port>', 'port of the query service; 0: any free port (default: 4000, env: QUERENT_PORT)')
    .option(
      '--auth-port <port>',
      'port of the authorization server; 0: any free port (default: 4001, env: QUERENT_AUTH_PORT)',
    )
    .addOption(option('--exit', 'stop after the search'))
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const { config, sources } = await readSettings(
        { ...options, data: options.data ?? defaultDemoData },
        Object.fromEntries(honoredVariables.map(name => [name, process.env[name]])),
      )
      const demoConfig = {
        ...config,
        authUrl: nameLoopback(config.authUrl),
        logLevel: sources.logLevel === 'default' ? ('error' as const) : config.logLevel,
      }
      const reporter = createStepReporter(options)
      const session = await reporter.step(
        () => openDemo(demoConfig),
        () => `data folder ${config.data}`,
      )
      const servers = await reporter
        .step(
          () => startServers(demoConfig, { isDemo: true }),
          ({ baseUrl, authUrl }) => `query service on ${baseUrl}, authorization server on ${authUrl}`,
        )
        .catch(async (error: unknown) => {
          // For example, the port is in use. Leave nothing behind.
          await session.undo()
          throw error
        })
      try {
        const stopped = servers.stopRequested.then(() => 'stopped' as const)
        const outcome = await Promise.race([
          runSteps({ options, reporter, data: config.data, savedDemo: session.demo }),
          stopped,
        ])
        if (outcome === 'stopped')
          throw new CommandError('stopped before the demo was ready: start it again with the same command')
        if (!options.exit) await stopped
      } finally {
        await servers.close()
      }
    })

interface DemoRun {
  options: Options
  reporter: ReturnType<typeof createStepReporter>
  data: string
  savedDemo: Demo
}

const noResults = { offset: 0, count: 0, type: [], items: [] }

/** The reply; undefined if somebody has changed the workspace so that it refuses the query. */
const unlessRefused = async <T>(reply: Promise<T>): Promise<T | undefined> => {
  try {
    return await reply
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return undefined
    throw error
  }
}

/** `total`: the documents of the collection; undefined if the API refuses to count them. */
const describeLoss = (total: number | undefined): string =>
  total === undefined
    ? `the API ${dictionary.api} no longer answers the queries of the demo`
    : `the collection ${dictionary.collection} no longer holds the dictionary: it has ${total === 1 ? '1 document' : `${total.toLocaleString('en')} documents`}, not ${entryCount.toLocaleString('en')} entries`

/** Runs the steps that a newcomer would take by hand. */
const runSteps = async ({ options, reporter, data, savedDemo }: DemoRun): Promise<void> => {
  const { step } = reporter
  const connection = await connect({ data })
  // Later, the workspace is that of the people who try it.
  const isComplete = savedDemo.imported && savedDemo.citiesImported && (await hasDictionary(connection))
  if (!isComplete) {
    await step(
      () => applyDictionary(connection),
      () => `workspace ${dictionary.workspace}, from its file`,
    )
  }
  let demoState = savedDemo
  if (!demoState.imported) {
    await step(
      () => importDictionary(connection),
      count => `${count.toLocaleString('en')} entries of WordNet 3.1 imported and searchable`,
    )
    demoState = { ...demoState, imported: true }
    await saveDemo(data, demoState)
  }
  if (!demoState.citiesImported) {
    await step(
      () => importCities(connection),
      count => `${count.toLocaleString('en')} cities imported and searchable`,
    )
    demoState = { ...demoState, citiesImported: true }
    await saveDemo(data, demoState)
  }
  const { account, token } = await step(
    async () => {
      const savedAccount = await openDemoAccount(connection, demoState)
      const savedToken = await firstToken(connection, savedAccount)
      if (savedToken) return { account: savedAccount, token: savedToken }
      // Someone has removed the account or its secret: create another account.
      const { clientId: _gone, clientSecret: _lost, ...rest } = demoState
      const fresh = await openDemoAccount(connection, rest)
      const freshToken = await firstToken(connection, fresh)
      if (!freshToken)
        throw new CommandError('the server rejects the account that it just created: see its log')
      return { account: fresh, token: freshToken }
    },
    ({ account: { clientId } }) => `System-to-System account ${clientId}, and an access token for it`,
  )
  await saveDemo(data, { ...demoState, ...account })
  const queries = queryApi(
    { baseUrl: connection.baseUrl, token, retry: { attemptsMax: rebuildAttemptsMax } },
    dictionary.workspace,
    dictionary.api,
  )
  const [results, { total }] = await step(
    async () =>
      (await unlessRefused(queries.resultsCount(demoStack, { count: resultsShown }))) ??
      ([noResults, { total: 0 }] as const),
    () => `search for "${demoQuery}"`,
  )
  const entries = await unlessRefused(queries.count([{ endpoint: 'everything', parameters: [] }]))
  if (entries?.total !== entryCount)
    note(`${describeLoss(entries?.total)}; to start over, remove ${quoteArgument(data)}`)
  const { baseUrl, authUrl } = connection
  const { email, password } = demoState
  const console = { url: `${authUrl}/console/`, email, password }
  const searchPage = `${baseUrl}/demo/`
  const citiesPage = `${searchPage}cities/`
  print(options, {
    json: {
      baseUrl,
      authUrl,
      workspace: dictionary.workspace,
      api: dictionary.api,
      ...account,
      console,
      searchPage,
      citiesPage,
    },
    text: formatSummary({
      connection,
      account,
      results,
      total,
      console,
      searchPage,
      citiesPage,
      data,
      seconds: reporter.seconds(),
      keepsServing: !options.exit,
    }),
  })
}
