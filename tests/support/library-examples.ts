/** Runs the examples of docs/libraries.md: the code blocks as they are there, with the addresses of a started server. */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commandMsMax, waitUntil } from '#server/test-wait'
import { makeMember, openPerson, type Person } from './person.ts'
import { type StartedServer, startServer } from './started-server.ts'

const root = join(import.meta.dirname, '..', '..')

export interface Client {
  clientId: string
  clientSecret?: string
}

export interface LibrarySite {
  server: StartedServer
  /** Opens a browser for a member of the workspace `dictionary`. Each test needs its own, because tests run at the same time. */
  openPerson(): Person
  /** A System-to-System account of the workspace. */
  account: Client
  /** For the files of the examples. Removed at the end. */
  folder: string
  /** Returns the first block in this language below this heading, with the addresses of the server and the port of the application. */
  readExample(heading: string, language: string, port?: number): string
  /** Registers an application at the redirect URI. `flags` go to `querent apps create`. */
  register(type: string, redirectUri: string, ...flags: string[]): Promise<Client>
  /** Opens an address of an application, signs the person in, and returns the page where it ends. Keeps the application's cookies. */
  signInAt(address: string): Promise<{ url: URL; text: string; cookie: string }>
  close(): Promise<void>
}

export const openLibrarySite = async (): Promise<LibrarySite> => {
  const [server, folder, page] = await Promise.all([
    startServer(),
    mkdtemp(join(tmpdir(), 'querent-libraries-')),
    readFile(join(root, 'docs', 'libraries.md'), 'utf8'),
  ])
  await server.applyFile(join(root, 'packages', 'cli', 'dictionary', 'workspace.yaml'))
  const { email, password } = await makeMember(server, 'dictionary', 'reader@example.org')
  const openReader = () => openPerson(server, email, password)
  const account = await server.createAccount('dictionary', 'tests', 'api')
  return {
    server,
    openPerson: openReader,
    account,
    folder,
    readExample(heading, language, port = 3000) {
      const [, section = ''] = page.split(`\n## ${heading}\n`)
      const [, code] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(section) ?? []
      if (code === undefined) throw new Error(`docs/libraries.md has no ${language} below ${heading}`)
      return code
        .replaceAll('http://127.0.0.1:4001', server.authUrl)
        .replaceAll('http://127.0.0.1:4000', server.baseUrl)
        .replaceAll('3000', String(port))
    },
    register: async (type, redirectUri, ...flags) =>
      // The JSON reply of `querent apps create`.
      (await server.run([
        ...['apps', 'create', 'dictionary', `Example ${redirectUri}`, '--type', type],
        ...['--redirect-uri', redirectUri, ...flags],
      ])) as Client,
    async signInAt(address) {
      const person = openReader()
      const cookies = new Map<string, string>()
      let url = new URL(address)
      for (let hops = 0; hops < 10; hops++) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const reply = await fetch(url, { redirect: 'manual', headers: { cookie, accept: 'text/html' } })
        for (const line of reply.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
          cookies.set(name, value)
        }
        const location = reply.headers.get('location')
        if (location === null) return { url, text: await reply.text(), cookie }
        url = new URL(location, url)
        if (url.origin === server.authUrl) url = await person.completeFlow(url)
      }
      throw new Error('there are too many redirects')
    },
    async close() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export const writeExample = async (folder: string, name: string, code: string): Promise<string> => {
  const file = join(folder, name)
  await writeFile(file, code)
  return file
}

interface Program {
  args: readonly string[]
  folder: string
  client?: Client
  env?: Record<string, string | undefined>
  /** Gets the output so far, and returns what to type, once. */
  answer?: (output: string) => Promise<string> | undefined
}

const startProgram = (command: string, { args, folder, client, env }: Program) => {
  const { clientId: CLIENT_ID = '', clientSecret: CLIENT_SECRET = '' } = client ?? {}
  return spawn(command, args, { cwd: folder, env: { ...process.env, CLIENT_ID, CLIENT_SECRET, ...env } })
}

/** Runs a program to its end and returns its standard output. Throws with its standard error if it fails. */
export const runExample = async (command: string, program: Program): Promise<string> => {
  const child = startProgram(command, program)
  let [stdout, stderr] = ['', '']
  let { answer } = program
  if (!answer) child.stdin.end()
  child.stdout.on('data', chunk => {
    stdout += chunk
    const typing = answer?.(stdout)
    if (!typing) return
    answer = undefined
    typing.then(
      line => child.stdin.end(`${line}\n`),
      () => child.kill(),
    )
  })
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code !== 0)
    throw new Error(`${command} ${program.args.join(' ')} ended with ${code}: ${stdout}${stderr}`)
  return stdout
}

/** Starts a web server, and stops it after `use`. Throws with its output if it ends before it answers at `address`. */
export const withExampleServer = async <T>(
  command: string,
  program: Program,
  address: string,
  use: () => Promise<T>,
): Promise<T> => {
  const child = startProgram(command, program)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', chunk => {
      output += chunk
    })
  const closed = new Promise<void>(resolve => {
    child.once('close', () => resolve())
    child.once('error', () => resolve())
  })
  try {
    const isReached = () =>
      fetch(address, { redirect: 'manual' }).then(
        () => true,
        () => false,
      )
    await waitUntil(
      () => {
        if (child.exitCode !== null) throw new Error(`${command} ended: ${output}`)
        return isReached()
      },
      () => `${command} answers; it wrote: ${output}`,
      commandMsMax,
    )
    return await use()
  } finally {
    child.kill()
    await closed
  }
}
