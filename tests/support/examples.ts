/** Starts the applications of `examples/` as their READMEs describe. */
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { freePort } from '#bench/peers/start'
import type { Person } from './person.ts'
import type { StartedServer } from './started-server.ts'

const root = join(import.meta.dirname, '..', '..')

/** Copies `examples/{name}` to a clean folder, which is removed after the test. */
export const copyExample = async (t: TestContext, name: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), `querent-${name}-`))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await cp(join(root, 'examples', name), folder, { recursive: true })
  return folder
}

interface Manifest {
  version: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}
export const readManifest = async (folder: string): Promise<Manifest> =>
  // npm has read it before, or will.
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest

/** Installs the dependencies of an example as links to the packages of this checkout. Throws if the example names other versions. */
export const linkDependencies = async (folder: string): Promise<void> => {
  const { dependencies = {} } = await readManifest(folder)
  for (const [name, version] of Object.entries(dependencies)) {
    const source = join(root, 'node_modules', name)
    assert.equal((await readManifest(source)).version, version, name)
    const target = join(folder, 'node_modules', name)
    await mkdir(dirname(target), { recursive: true })
    await symlink(source, target)
  }
}

/** Compiles `@querent/client` to JavaScript, as it is published, for bundlers that accept no links to TypeScript. */
export const installClient = async (folder: string): Promise<void> => {
  const source = join(root, 'packages', 'client')
  const target = join(folder, 'node_modules', '@querent', 'client')
  await mkdir(target, { recursive: true })
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      rootDir: join(source, 'src'),
      outDir: join(target, 'dist'),
      typeRoots: [join(root, 'node_modules', '@types')],
    },
    include: [join(source, 'src', 'index.ts')],
    exclude: [],
  }
  await writeFile(join(target, 'tsconfig.json'), JSON.stringify(config))
  await promisify(execFile)('tsc', ['-p', target])
  const { version } = await readManifest(source)
  const manifest = { name: '@querent/client', version, type: 'module', exports: './dist/index.js' }
  await writeFile(join(target, 'package.json'), JSON.stringify(manifest))
}

export interface Example {
  /** Returns the first line of its further output that matches. */
  line(pattern: RegExp): Promise<string>
  stop(): Promise<void>
}

/** Starts `examples/{file}` for the workspace and API of `makeLibrary`, with additional environment variables. */
export const startExample = async (
  { authUrl, baseUrl }: StartedServer,
  file: string,
  environment: Record<string, string>,
): Promise<Example> => {
  const child: ChildProcess = spawn(process.execPath, [join(root, 'examples', file)], {
    env: {
      ...process.env,
      AUTH_URL: authUrl,
      BASE_URL: baseUrl,
      WORKSPACE: 'library',
      API: 'library',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let errorOutput = ''
  const lineChecks = new Set<() => void>()
  child.stdout?.on('data', chunk => {
    output += chunk
    for (const check of lineChecks) check()
  })
  child.stderr?.on('data', chunk => {
    errorOutput += chunk
  })
  const exited = once(child, 'exit')
  return {
    line: pattern =>
      new Promise((resolve, reject) => {
        const checkLines = () => {
          const matchingLine = output
            .split('\n')
            .slice(0, -1)
            .find(line => pattern.test(line))
          if (matchingLine === undefined) return
          lineChecks.delete(checkLines)
          resolve(matchingLine)
        }
        lineChecks.add(checkLines)
        checkLines()
        void exited.then(([code]) => reject(new Error(`${file} ended with ${code}: ${errorOutput}`)))
      }),
    async stop() {
      child.kill()
      await exited
    },
  }
}

type ApplicationType = 'browser' | 'native' | 'server'

/** Registers an application in the workspace of `makeLibrary`. */
export const register = (server: StartedServer, name: string, type: ApplicationType, redirectUri: string) =>
  server.call('createApplication', {
    params: { workspace: 'library' },
    input: { name, type, redirectUris: [redirectUri] },
  })

export interface RunningExample {
  url: string
  example: Example
}

/** Registers and starts a listening example at `localhost`, which is another site than the server's 127.0.0.1. */
const startListening = async (server: StartedServer, file: string, name: string, type: ApplicationType) => {
  // Applications are registered before they start.
  const port = await freePort()
  const url = `http://localhost:${port}`
  const { clientId, clientSecret = '' } = await register(server, name, type, `${url}/callback`)
  const environment = { PORT: String(port), CLIENT_ID: clientId, CLIENT_SECRET: clientSecret }
  const example = await startExample(server, file, environment)
  await example.line(/^http/)
  return { url, example }
}
export const startSinglePage = (server: StartedServer): Promise<RunningExample> =>
  startListening(server, 'single-page/serve.ts', 'Finder', 'browser')
export const startPortal = (server: StartedServer): Promise<RunningExample> =>
  startListening(server, 'server/server.ts', 'Portal', 'server')

/** Actions of a person at the single-page application and the pages of the server. */
export const driveFinder = (page: Page, { url }: RunningExample) => {
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  return {
    button,
    async open() {
      await page.goto(url)
      await this.waitUntilUsable()
    },
    /** The page's buttons work: they and the first words are there before its script has run. */
    waitUntilUsable: () => page.locator('body[data-ready]').waitFor(),
    async signInAs({ email, password }: Person) {
      await page.getByLabel('E-mail address').fill(email)
      await page.getByLabel('Password').fill(password)
      await button('Sign in').click()
    },
    /** Runs a person's first sign-in to its end. */
    async signIn(person: Person) {
      await this.open()
      await button('Sign in').click()
      await this.signInAs(person)
      await button('Allow').click()
      await page.getByText(`Signed in as ${person.email}.`).waitFor()
    },
    async search(words: string) {
      await page.getByLabel('Search for').fill(words)
      await button('Search').click()
    },
  }
}

/**
 * Copies an example that is a page to a clean folder, with the addresses of the server, and runs its `npm start` on a free port. `prepare` runs
 * before, with the address of the page. Returns this address.
 */
export const startExamplePage = async (
  t: TestContext,
  { authUrl, baseUrl }: StartedServer,
  { name, port }: { name: string; port: number },
  prepare: (folder: string, url: string) => Promise<void>,
): Promise<string> => {
  const folder = await copyExample(t, name)
  await linkDependencies(folder)
  const ownPort = await freePort()
  for (const file of await readdir(folder)) {
    if (!/\.(json|js|html)$/.test(file)) continue
    const text = await readFile(join(folder, file), 'utf8')
    const localized = text
      .replaceAll('http://127.0.0.1:4001', authUrl)
      .replaceAll('http://127.0.0.1:4000', baseUrl)
      .replaceAll(`:${port}`, `:${ownPort}`)
    await writeFile(join(folder, file), localized)
  }
  const url = `http://localhost:${ownPort}`
  await prepare(folder, url)
  const program = spawn('npm', ['start'], {
    cwd: folder,
    env: { ...process.env, PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH}` },
    // esbuild serves until its standard input ends.
    stdio: 'pipe',
    // npm starts a shell, which starts the program: the signal must reach all of them.
    detached: true,
  })
  const closed = once(program, 'close')
  t.after(async () => {
    if (program.pid !== undefined && program.exitCode === null) process.kill(-program.pid)
    await closed
  })
  let output = ''
  await new Promise<void>((resolve, reject) => {
    for (const stream of [program.stdout, program.stderr])
      stream.on('data', chunk => {
        output += chunk
        if (output.includes(`:${ownPort}/`)) resolve()
      })
    void closed.then(() => reject(new Error(`npm start of ${name} ended: ${output}`)))
  })
  return url
}
