/** Starts our servers like an operator, both in one process, for load from outside. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Pinned, serverCore, startPinned } from './pinned.ts'

const program = join(fileURLToPath(import.meta.resolve('querent/package.json')), '..', 'bin', 'querent')

export interface Served extends Pinned {
  /** Without a trailing slash. */
  baseUrl: string
  authUrl: string
  /** Time from the start of the process to its ready line. */
  readyMs: number
}

/** Runs a command and returns its value with `--json`. Throws if it fails. */
export const querent = async (args: readonly string[], input = ''): Promise<unknown> => {
  const child = spawn(program, [...args, '--json'], { stdio: ['pipe', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', chunk => {
    text += chunk
  })
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`querent ${args.join(' ')} ended with ${code}: ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

/** Creates an empty data folder with its first operator, in a temporary folder that `remove` deletes. */
export const makeDataFolder = async (): Promise<{ data: string; remove(): Promise<void> }> => {
  const folder = await mkdtemp(join(tmpdir(), 'querent-bench-'))
  const data = join(folder, 'data')
  const flags = ['--data', data, '--admin', 'ada@example.org', '--password-stdin']
  await querent(['init', ...flags], 'correct horse battery staple\n')
  return { data, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** A rate limit that no load reaches. Counting is measured, rejecting is not. */
const settings = ['--rate-limit', '1000000000', '--port', '0', '--auth-port', '0']

/** Starts both servers on a data folder, by default on one core. Resolves when they are ready. */
export const serve = async (
  data: string,
  { flags = [], cores = [serverCore] }: { flags?: readonly string[]; cores?: readonly number[] } = {},
): Promise<Served> => {
  const startedMs = performance.now()
  const args = ['serve', '--data', data, '--json', ...settings, ...flags]
  const pinned = startPinned(cores, program, args)
  // The ready line of `querent serve --json`.
  const { baseUrl, authUrl } = await pinned.line(line =>
    line.includes('"ready"') ? (JSON.parse(line) as { baseUrl: string; authUrl: string }) : undefined,
  )
  return { ...pinned, baseUrl, authUrl, readyMs: performance.now() - startedMs }
}

export interface Account {
  clientId: string
  clientSecret: string
}

/** Creates a System-to-System account of a workspace on a running server. */
export const makeAccount = async (
  data: string,
  workspace: string,
  roles: readonly string[] = ['api'],
  name = 'bench',
): Promise<Account> => {
  const flags = roles.flatMap(role => ['--role', role])
  // The contract's reply to `s2s create`.
  return (await querent(['s2s', 'create', workspace, name, ...flags, '--data', data])) as Account
}

/** Gets an access token by client credentials for the whole query service. */
export const fetchToken = async (
  { authUrl, baseUrl }: Pick<Served, 'authUrl' | 'baseUrl'>,
  { clientId, clientSecret }: Account,
): Promise<string> => {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    audience: baseUrl,
  })
  const reply = await fetch(`${authUrl}/oauth/token`, { method: 'POST', body })
  if (reply.status !== 200) throw new Error(`no token: ${reply.status} ${await reply.text()}`)
  // The reply of RFC 6749, section 5.1.
  const { access_token } = (await reply.json()) as { access_token: string }
  return access_token
}
