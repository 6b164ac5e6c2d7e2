/** Test support: runs the command line in a separate process, and fakes the servers that it calls. */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { CommandLine, Outcome } from './command-process.ts'

/** The command `querent` and its first arguments: the program of the test run (tests/support/bundled-program.ts), which starts sooner, or the source. */
export const program: readonly [string, ...string[]] = process.env.QUERENT_TEST_PROGRAM
  ? [process.env.QUERENT_TEST_PROGRAM]
  : [process.execPath, fileURLToPath(new URL('../main.ts', import.meta.url))]

interface RunOptions {
  stdin?: string
  /** Standard input stays open but sends nothing more. */
  isStdinOpen?: boolean
  env?: Record<string, string>
  /** Descriptor of an open file instead of a pipe. */
  stdout?: number
  /** Nobody reads its standard output. */
  isUnread?: boolean
  /** Account that runs the command. */
  uid?: number | undefined
}

/** The environment of commands: without the settings of the machine's own. */
const makeEnvironment = (env: Record<string, string>): Record<string, string> => {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env
  return { PATH, HOME, ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}), ...env }
}

/** Runs `querent …` in a process of its own. */
export const querent = (
  args: string[],
  { stdin = '', env = {}, stdout, isUnread = false, isStdinOpen = false, uid }: RunOptions = {},
): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const [command, ...firstArgs] = program
    const child = spawn(command, [...firstArgs, ...args], {
      cwd: tmpdir(),
      env: makeEnvironment(env),
      stdio: ['pipe', stdout ?? 'pipe', 'pipe'],
      ...(uid === undefined ? {} : { uid }),
    })
    const outcome = { stdout: '', stderr: '' }
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      outcome.stdout += text
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      outcome.stderr += text
    })
    // A command that fails early does not read its input.
    if (isUnread) child.stdout?.destroy()
    child.stdin?.on('error', () => {})
    child.stdin?.write(stdin)
    if (!isStdinOpen) child.stdin?.end()
    child.once('error', reject)
    child.once('close', code => resolve({ code, ...outcome }))
  })

/**
 * Starts one process for all commands of a test file, and returns a function like {@link querent}. Commands that say what their process is
 * like get one of their own, and so do those that read `/dev/stdin`.
 */
export const openCommandProcess = (): typeof querent => {
  let child: ChildProcess | undefined
  let last: Promise<unknown> = Promise.resolve()
  const runNext = async (line: CommandLine): Promise<Outcome> => {
    if (!child?.connected)
      child = fork(join(import.meta.dirname, 'command-process.ts'), {
        cwd: tmpdir(),
        env: makeEnvironment({}),
      })
    child.send(line)
    const ends = once(child, 'exit').then(([code]) => {
      throw new Error(`the process of the commands ended with ${code} during: ${line.args.join(' ')}`)
    })
    const [outcome] = await Promise.race([once(child, 'message'), ends])
    return outcome
  }
  after(() => child?.kill())
  return (args, { stdin = '', env = {}, ...own } = {}) => {
    if (Object.keys(own).length > 0 || args.includes('/dev/stdin'))
      return querent(args, { stdin, env, ...own })
    const outcome = last.then(() => runNext({ args, stdin, env: makeEnvironment(env) }))
    last = outcome.catch(() => {})
    return outcome
  }
}

export interface Request {
  method: string
  url: string
  body: string
}

/** Creates a folder that is removed after the test. */
export const folder = async (t: TestContext): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'querent-cli-'))
  t.after(() => rm(path, { recursive: true, force: true }))
  return path
}

/**
 * Fakes both servers: issues tokens, and calls `answer` for everything else. Returns a data folder with the operator's file, the origin,
 * and the received requests. `resource` replaces the origin in the metadata. Status 0 closes the connection instead of a reply.
 * `breaksImports` closes the connection at the first bytes of an import.
 */
export const standIn = async (
  t: TestContext,
  answer: (request: Request) => { status: number; body?: unknown },
  { resource, breaksImports }: { resource?: string; breaksImports?: true } = {},
): Promise<{ data: string; origin: string; requests: Request[] }> => {
  const requests: Request[] = []
  let origin = ''
  const server = createServer(async (request, reply) => {
    const chunks: Buffer[] = []
    const { method = '', url = '' } = request
    for await (const chunk of request as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      if (breaksImports && url.includes('/collections/')) return void request.socket.destroy()
    }
    const received = { method, url, body: Buffer.concat(chunks).toString('utf8') }
    const { status, body } =
      url === '/oauth/token'
        ? {
            status: 200,
            body: {
              access_token: `token for ${new URLSearchParams(received.body).get('audience')}`,
              expires_in: 900,
            },
          }
        : url === '/.well-known/oauth-authorization-server'
          ? { status: 200, body: { issuer: `${origin}/`, protected_resources: [resource ?? `${origin}/`] } }
          : answer(received)
    requests.push(received)
    // Behaves like a server that stops.
    if (status === 0) return void request.socket.destroy()
    reply.writeHead(status, { 'content-type': 'application/json' })
    reply.end(body === undefined ? '' : JSON.stringify(body))
  })
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const data = await folder(t)
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  origin = `http://127.0.0.1:${address.port}`
  const operator = { authUrl: origin, baseUrl: origin, clientId: 'operator', clientSecret: 'q_secret' }
  await writeFile(join(data, 'operator.json'), JSON.stringify(operator))
  return { data, origin, requests }
}
