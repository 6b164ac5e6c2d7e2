import { queryApi } from '@querent/client'
import type { Command } from 'commander'
import { define, option } from '#command-line/define'
import { CommandError } from '#command-line/failure'
import { type Globals, quoteArgument } from '#command-line/globals'
import { connect } from '#connection/connect'
import { startServers } from '#connection/server-process'
import { settingsOf } from '#connection/server-settings'
import { demoAccount, firstToken } from '#demo/account'
import { applyDictionary, dictionary, importDictionary } from '#demo/dictionary'
import { type Demo, openDemo, remember } from '#demo/folder'
import { stepTeller } from '#demo/steps'
import { closingWords, demoQuery, demoStack } from '#demo/summary'
import { entryCount } from '#dictionary/wordnet'
import { note, print } from '#terminal/output'

interface Options extends Globals {
  port?: string
  authPort?: string
  exit?: true
}

const defaultDemoData = 'querent-demo'
/** Whatever else the environment says of a server: a demo stays in its own folder, and is both servers on this machine. */
const obeyed = ['QUERENT_HOST', 'QUERENT_PORT', 'QUERENT_AUTH_PORT', 'QUERENT_LOG_LEVEL']
const resultsShown = 5

export const demo = (): Command =>
  define(
    'demo',
    'Everything at once: a data folder, both servers, an English dictionary of 117,791 entries, an account, a token, a search. Keeps serving until Ctrl-C.',
    'querent demo',
    'querent demo --data /tmp/demo --port 0 --auth-port 0 --json',
  )
    // The table of settings reads these two from the environment itself.
    .option('--port <port>', 'port of the query service; 0: any free one (default: 4000, env: QUERENT_PORT)')
    .option(
      '--auth-port <port>',
      'port of the authorization server; 0: any free one (default: 4001, env: QUERENT_AUTH_PORT)',
    )
    .addOption(option('--exit', 'stop after the search'))
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const { config, sources } = await settingsOf(
        { ...options, data: options.data ?? defaultDemoData },
        Object.fromEntries(obeyed.map(name => [name, process.env[name]])),
      )
      const demoConfig = {
        ...config,
        logLevel: sources.logLevel === 'default' ? ('error' as const) : config.logLevel,
      }
      const teller = stepTeller(options)
      const opened = await teller.step(
        () => openDemo(demoConfig),
        () => `data folder ${config.data}`,
      )
      const servers = await teller
        .step(
          () => startServers(demoConfig),
          ({ baseUrl, authUrl }) => `query service on ${baseUrl}, authorization server on ${authUrl}`,
        )
        .catch(async (error: unknown) => {
          // A port that is taken, for one: nothing is left behind.
          await opened.undo()
          throw error
        })
      try {
        const stopped = servers.stopRequested.then(() => 'stopped' as const)
        const outcome = await Promise.race([
          show({ options, teller, data: config.data, opened: opened.demo }),
          stopped,
        ])
        if (outcome === 'stopped')
          throw new CommandError('stopped before the demo was ready: start it again with the same command')
        if (!options.exit) await stopped
      } finally {
        await servers.close()
      }
    })

interface Showing {
  options: Options
  teller: ReturnType<typeof stepTeller>
  data: string
  opened: Demo
}

/** What a newcomer would do by hand, step by step. */
const show = async ({ options, teller, data, opened }: Showing): Promise<void> => {
  const { step } = teller
  const connection = await connect({ data })
  await step(
    () => applyDictionary(connection),
    () => `workspace ${dictionary.workspace}, from its file`,
  )
  let kept = opened
  if (!kept.imported) {
    await step(
      () => importDictionary(connection),
      count => `${count.toLocaleString('en')} entries of WordNet 3.1 imported and searchable`,
    )
    kept = { ...kept, imported: true }
    await remember(data, kept)
  }
  const { account, token } = await step(
    async () => {
      const known = await demoAccount(connection, kept)
      const knownToken = await firstToken(connection, known)
      if (knownToken) return { account: known, token: knownToken }
      // Someone removed it or its secret since: another one is made.
      const { clientId: _gone, clientSecret: _lost, ...rest } = kept
      const fresh = await demoAccount(connection, rest)
      const freshToken = await firstToken(connection, fresh)
      if (!freshToken) throw new CommandError('the server refuses the account that it just made: see its log')
      return { account: fresh, token: freshToken }
    },
    ({ account: { clientId } }) => `System-to-System account ${clientId}, and an access token for it`,
  )
  await remember(data, { ...kept, ...account })
  const queries = queryApi({ baseUrl: connection.baseUrl, token }, dictionary.workspace, dictionary.api)
  const [results, { total }] = await step(
    () => queries.resultsCount(demoStack, { count: resultsShown }),
    () => `search for "${demoQuery}"`,
  )
  const entries = await queries.count([{ endpoint: 'everything', parameters: [] }])
  if (entries.total !== entryCount)
    note(
      `the collection ${dictionary.collection} is no longer the dictionary: it holds ${entries.total === 1 ? '1 document' : `${entries.total.toLocaleString('en')} documents`}, not ${entryCount.toLocaleString('en')} entries; to begin anew remove ${quoteArgument(data)}`,
    )
  const { baseUrl, authUrl } = connection
  const { email, password } = kept
  const console = { url: `${authUrl}/console/`, email, password }
  print(options, {
    json: { baseUrl, authUrl, workspace: dictionary.workspace, api: dictionary.api, ...account, console },
    text: closingWords({
      connection,
      account,
      results,
      total,
      console,
      data,
      seconds: teller.seconds(),
      keepsServing: !options.exit,
    }),
  })
}
