/** Real servers for black-box tests, each on a fresh data folder: in this process, or as a user runs them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SettingName } from '#server/config/config'
import { readConfig } from '#server/config/resolve'
import { settingNames, settings } from '#server/config/settings'
import { commandMsMax, withPatience } from '#server/test-wait'
import { launcher, runQuerent } from './command-line.ts'
import { connectOperator, type Operator } from './operator.ts'
import { adminEmail, adminPassword, copyTemplate } from './template-folder.ts'

/** Returns the log lines about server errors. Rejected requests are not errors. */
export const findErrorLines = (log: string): string =>
  log
    .split('\n')
    .filter(line => /"level":[56]0/.test(line))
    .join('\n')

/** Reads a file of the data folder. Returns `otherwise` if the file has disappeared, because the engine merges its files at any time. */
export const ignoreMissingFile = <T>(reading: Promise<T>, fallback: T): Promise<T> =>
  reading.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return fallback
  })

export interface FirstOperator {
  email: string
  url: string
  expiresAt: string
}

export interface StartedServer extends Operator {
  baseUrl: string
  authUrl: string
  data: string
  /** Its log since its latest start. A process adds its standard output. */
  log(): string
  /** Runs a command against this server, with `--json`. Returns its value. Throws if it fails. */
  run(args: readonly string[], options?: { input?: string | Uint8Array }): Promise<unknown>
  /** Stops it as an operator would, and deletes the data. */
  stop(): Promise<void>
}

/** A server in a process of its own. */
export interface ServerProcess extends StartedServer {
  /** Id of its process. */
  pid(): number
  /** The first operator's link in its latest ready line, while that operator has no password. */
  firstOperator(): FirstOperator | undefined
  /** Stops it as an operator would (SIGTERM), and keeps the data. */
  shutDown(): Promise<void>
  /** Kills the process without warning, and keeps the data. */
  kill(): Promise<void>
  /** Starts it again on the same data and ports. */
  restart(): Promise<void>
}

interface ReadyLine {
  baseUrl: string
  authUrl: string
  firstOperator?: FirstOperator
}

/** Returns the ready line of `querent serve --json`. Rejects with its errors if it exits before. */
export const waitUntilReady = (child: ChildProcess): Promise<ReadyLine> => {
  let text = ''
  let errors = ''
  const ready = new Promise<ReadyLine>((resolve, reject) => {
    child.stderr?.on('data', chunk => {
      errors += chunk
    })
    child.stdout?.on('data', chunk => {
      text += chunk
      const line = text.split('\n').find(candidate => candidate.includes('"ready"'))
      // The contract's ready line.
      if (line && text.includes('\n')) resolve(JSON.parse(line) as ReadyLine)
    })
    child.once('exit', code => reject(new Error(`querent serve ended with ${code}: ${errors}`)))
  })
  return withPatience(ready, () => `querent serve is ready; it wrote: ${text}${errors}`, commandMsMax)
}

/** Runs a command as {@link StartedServer.run} does. */
const runCommand = async (
  data: string,
  log: string,
  args: readonly string[],
  options?: { input?: string | Uint8Array },
): Promise<unknown> => {
  const result = await runQuerent([...args, '--data', data, '--json'], options)
  if (result.code !== 0)
    throw new Error(
      `querent ${args.join(' ')} ended with ${result.code}: ${result.stderr}${result.stdout}${findErrorLines(log)}`,
    )
  return result.stdout === '' ? undefined : JSON.parse(result.stdout)
}

/** Reads flags of `querent serve`, each with its value, as their settings. */
const readFlags = (flags: readonly string[]): Partial<Record<SettingName, string>> => {
  const values: Partial<Record<SettingName, string>> = {}
  for (let index = 0; index < flags.length; index += 2) {
    const name = settingNames.find(setting => settings[setting].flag?.split(' ')[0] === flags[index])
    if (name === undefined) throw new Error(`querent serve has no flag ${flags[index]}`)
    values[name] = flags[index + 1] ?? ''
  }
  return values
}

interface InitOptions {
  /** The first operator's; undefined means none yet. Default: {@link adminPassword}. */
  password?: string | undefined
  /** Whether its keys differ from those of other servers of the tests. */
  hasOwnKeys?: boolean
}

/**
 * Starts a server on free ports in this process, with the first operator and an empty storage. `flags` are those of `querent serve`, and
 * `env` holds settings that have no flag.
 * Use {@link startServerProcess} to kill or restart it, to read its standard output, or beside calls that block this process.
 */
export const startServer = async (
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<StartedServer> => {
  const folder = await mkdtemp(join(tmpdir(), 'querent-test-'))
  const data = join(folder, 'data')
  await createFolder(data)
  const { config } = readConfig({
    flags: { data, port: '0', authPort: '0', ...readFlags(flags) },
    env: { ...process.env, ...env },
  })
  let log = ''
  const logStream = {
    write(line: string) {
      log += line
    },
  }
  // Loading the server takes half a second, which tests of a process don't need.
  const [{ start }, { makeQuickHashes }] = await Promise.all([
    import('#server/main'),
    import('#server/accounts/test-password-hash'),
  ])
  makeQuickHashes()
  const { baseUrl, authUrl, close } = await start(config, { logStream })
  return {
    baseUrl,
    authUrl,
    data,
    log: () => log,
    run: (args, options) => runCommand(data, log, args, options),
    ...connectOperator({ data, baseUrl, authUrl }),
    async stop() {
      await close()
      // A merge of segments that nobody waits for may still write a file.
      await rm(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/**
 * Starts a server with `querent serve` on free ports, as a user runs it. `flags` go to `querent serve`.
 */
export const startServerProcess = async (
  flags: readonly string[] = [],
  options: InitOptions = {},
): Promise<ServerProcess> => {
  const folder = await mkdtemp(join(process.env.QUERENT_TEST_DISK ?? tmpdir(), 'querent-test-'))
  const data = join(folder, 'data')
  await createFolder(data, options)
  let child: ChildProcess
  let outputChunks: Buffer[] = []
  let operator: Operator
  const launch = async (ports: readonly string[]) => {
    child = spawn(launcher, ['serve', '--data', data, '--json', ...ports, ...flags], {
      env: process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    outputChunks = []
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => outputChunks.push(chunk))
    const readyLine = await waitUntilReady(child)
    firstOperator = readyLine.firstOperator
    operator = connectOperator({ data, ...readyLine })
    return readyLine
  }
  let firstOperator: FirstOperator | undefined
  const terminate = (signal: NodeJS.Signals) =>
    new Promise<void>(resolve => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve()
      // Not at `exit`, because output may arrive after it.
      child.once('close', () => resolve())
      child.kill(signal)
    })
  const { baseUrl, authUrl } = await launch(['--port', '0', '--auth-port', '0'])
  const readPort = (url: string) => new URL(url).port
  const log = () => Buffer.concat(outputChunks).toString()
  return {
    baseUrl,
    authUrl,
    data,
    firstOperator: () => firstOperator,
    pid: () => child.pid ?? Number.NaN,
    log,
    run: (args, options) => runCommand(data, log(), args, options),
    // A restart writes another credential.
    call: (id, parts) => operator.call(id, parts),
    applyWorkspace: source => operator.applyWorkspace(source),
    exportWorkspace: workspace => operator.exportWorkspace(workspace),
    applyFile: path => operator.applyFile(path),
    importDocuments: (...args) => operator.importDocuments(...args),
    createAccount: (...args) => operator.createAccount(...args),
    async stop() {
      await terminate('SIGTERM')
      await rm(folder, { recursive: true, force: true })
    },
    shutDown: () => terminate('SIGTERM'),
    kill: () => terminate('SIGKILL'),
    async restart() {
      await launch(['--port', readPort(baseUrl), '--auth-port', readPort(authUrl)])
    },
  }
}

/** Copies the template, or runs `querent init` if that does not fit. */
const createFolder = async (data: string, options: InitOptions = {}): Promise<void> => {
  const password = 'password' in options ? options.password : adminPassword
  const mayCopy = password === adminPassword && !options.hasOwnKeys && !process.env.QUERENT_STORAGE
  if (mayCopy) return copyTemplate(data)
  const { code, stderr } = await runQuerent(
    ['init', '--data', data, '--admin', adminEmail, ...(password === undefined ? [] : ['--password-stdin'])],
    { input: `${password}\n` },
  )
  if (code !== 0) throw new Error(`querent init failed: ${stderr}`)
}

/** Gets an access token by client credentials, with a plain HTTP client. */
export const fetchToken = async (
  server: Pick<StartedServer, 'authUrl' | 'baseUrl'>,
  client: { clientId: string; clientSecret: string },
): Promise<string> => {
  const reply = await fetch(`${server.authUrl}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `grant_type=client_credentials&client_id=${client.clientId}&client_secret=${client.clientSecret}&audience=${server.baseUrl}/`,
  })
  if (reply.status !== 200) throw new Error(`no token: ${reply.status} ${await reply.text()}`)
  // The reply of RFC 6749, section 5.1.
  const { access_token } = (await reply.json()) as { access_token: string }
  return access_token
}
