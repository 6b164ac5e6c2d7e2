/** A real server for black-box tests: `querent init`, then `querent serve`, as a user runs them, on a fresh data folder. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const launcher = fileURLToPath(import.meta.resolve('querent/package.json')).replace(
  /package\.json$/,
  'bin/querent',
)

export interface CommandResult {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs a command to its end, with `input` on its standard input. `folder`: its working folder, if not that of the test. */
export const runQuerent = async (
  args: readonly string[],
  {
    input = '',
    env = {},
    folder,
  }: { input?: string | Uint8Array; env?: Record<string, string>; folder?: string } = {},
): Promise<CommandResult> => {
  const child = spawn(launcher, args, { cwd: folder, env: { ...process.env, ...env } })
  const stdoutChunks: Buffer[] = []
  const stderrChunks: Buffer[] = []
  child.stdout.on('data', chunk => stdoutChunks.push(chunk))
  child.stderr.on('data', chunk => stderrChunks.push(chunk))
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  return {
    code,
    stdout: Buffer.concat(stdoutChunks).toString(),
    stderr: Buffer.concat(stderrChunks).toString(),
  }
}

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

export interface StartedServer {
  baseUrl: string
  authUrl: string
  data: string
  /** Id of its process. */
  pid(): number
  /** The first operator's link in its latest ready line, while that operator has no password. */
  firstOperator(): FirstOperator | undefined
  /** Its output on standard output and standard error since its latest start. */
  log(): string
  /** Runs a command against this server, with `--json`. Returns its value. Throws if it fails. */
  run(args: readonly string[], options?: { input?: string | Uint8Array }): Promise<unknown>
  /** Stops it as an operator would (SIGTERM), and deletes the data. */
  stop(): Promise<void>
  /** Stops it as an operator would, and keeps the data. */
  shutDown(): Promise<void>
  /** Kills the process without warning, and keeps the data. */
  kill(): Promise<void>
  /** Starts it again on the same data and ports. */
  restart(): Promise<void>
}

const adminEmail = 'ada@example.org'

interface ReadyLine {
  baseUrl: string
  authUrl: string
  firstOperator?: FirstOperator
}

/** Returns the ready line of `querent serve --json`. Rejects with its errors if it exits before. */
export const waitUntilReady = (child: ChildProcess): Promise<ReadyLine> =>
  new Promise((resolve, reject) => {
    let text = ''
    let errors = ''
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

/** Starts a server on free ports. `flags` go to `querent serve`. `password` is the first operator's; undefined means none yet. */
export const startServer = async (
  flags: readonly string[] = [],
  { password }: { password: string | undefined } = { password: 'correct horse battery staple' },
): Promise<StartedServer> => {
  const folder = await mkdtemp(join(tmpdir(), 'querent-test-'))
  const data = join(folder, 'data')
  const initResult = await runQuerent(
    ['init', '--data', data, '--admin', adminEmail, ...(password === undefined ? [] : ['--password-stdin'])],
    { input: `${password}\n` },
  )
  if (initResult.code !== 0) throw new Error(`querent init failed: ${initResult.stderr}`)
  let child: ChildProcess
  let outputChunks: Buffer[] = []
  const launch = async (ports: readonly string[]) => {
    child = spawn(launcher, ['serve', '--data', data, '--json', ...ports, ...flags], {
      env: process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    outputChunks = []
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => outputChunks.push(chunk))
    const readyLine = await waitUntilReady(child)
    firstOperator = readyLine.firstOperator
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
  return {
    baseUrl,
    authUrl,
    data,
    firstOperator: () => firstOperator,
    pid: () => child.pid ?? Number.NaN,
    log: () => Buffer.concat(outputChunks).toString(),
    async run(args, options) {
      const result = await runQuerent([...args, '--data', data, '--json'], options)
      if (result.code !== 0)
        throw new Error(
          `querent ${args.join(' ')} ended with ${result.code}: ${result.stderr}${result.stdout}${findErrorLines(Buffer.concat(outputChunks).toString())}`,
        )
      return result.stdout === '' ? undefined : JSON.parse(result.stdout)
    },
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
