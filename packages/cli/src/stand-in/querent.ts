/** For tests: the command line as a process of its own, and a stand-in for the servers that it talks to. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../main.ts', import.meta.url))

export interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

interface Running {
  stdin?: string
  /** Whoever pipes into it goes on, and sends nothing more. */
  isStdinOpen?: boolean
  env?: Record<string, string>
  /** A file that is open, in place of a pipe. */
  stdout?: number
  /** Nobody reads its standard output. */
  isUnread?: boolean
  /** The account that runs it. */
  uid?: number | undefined
}

/** Runs `querent …` without the settings of the machine's own environment. */
export const querent = (
  args: string[],
  { stdin = '', env = {}, stdout, isUnread = false, isStdinOpen = false, uid }: Running = {},
): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env
    const child = spawn(process.execPath, [main, ...args], {
      cwd: tmpdir(),
      env: { PATH, HOME, ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}), ...env },
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

export interface Request {
  method: string
  url: string
  body: string
}

/** A folder that goes with the test. */
export const folder = async (t: TestContext): Promise<string> => {
  const made = await mkdtemp(join(tmpdir(), 'querent-cli-'))
  t.after(() => rm(made, { recursive: true, force: true }))
  return made
}

/**
 * Stands in for both servers: issues tokens, and answers everything else by `answer`. Gives its data folder, with the operator's
 * file in it, its address, and the requests that it got. `resource` stands in its metadata for its own address;
 * status 0 breaks the connection off in place of a reply. With `breaksAmid` imports are broken off at the first bytes of their body.
 */
export const standIn = async (
  t: TestContext,
  answer: (request: Request) => { status: number; body?: unknown },
  { resource, breaksAmid }: { resource?: string; breaksAmid?: true } = {},
): Promise<{ data: string; origin: string; requests: Request[] }> => {
  const requests: Request[] = []
  let origin = ''
  const server = createServer(async (request, reply) => {
    const chunks: Buffer[] = []
    const { method = '', url = '' } = request
    for await (const chunk of request as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      if (breaksAmid && url.includes('/collections/')) return void request.socket.destroy()
    }
    const asked = { method, url, body: Buffer.concat(chunks).toString('utf8') }
    const { status, body } =
      url === '/oauth/token'
        ? {
            status: 200,
            body: {
              access_token: `token for ${new URLSearchParams(asked.body).get('audience')}`,
              expires_in: 900,
            },
          }
        : url === '/.well-known/oauth-authorization-server'
          ? { status: 200, body: { issuer: `${origin}/`, protected_resources: [resource ?? `${origin}/`] } }
          : answer(asked)
    requests.push(asked)
    // As a server that is stopped.
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
