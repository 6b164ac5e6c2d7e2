/**
 * `querent` in a few large files. `npm test` makes it once for all test files, because a server then starts with half of the processor time:
 * the sources are 2,000 modules. A test file run alone uses the launcher of the package.
 */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'

const root = join(import.meta.dirname, '..', '..')
const server = join(root, 'packages', 'server')
const cli = join(root, 'packages', 'cli')
const packageLauncher = join(cli, 'bin', 'querent')

const variable = 'QUERENT_TEST_PROGRAM'

/** The command `querent`: that of the run, or of the package. */
export const launcher = process.env[variable] ?? packageLauncher

const entryPoint = join(cli, 'src', 'main.ts')

/** Modules of threads, below the sources of the server, which finds them among the imports of its package. */
const threads = ['query-thread', 'storage/log-searches-thread', 'workers/worker-thread']

/** Sources that read files beside themselves still find them. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]packages[\\/]\w+[\\/]([\w.-]+[\\/])*[\w.-]+\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
      loader: 'ts',
    }))
  },
}

/** Libraries that are loaded when they are needed stay files of their own: in a bundle, those of the older module system lose their names. */
const leaveLibrariesOutside: Plugin = {
  name: 'leave-libraries-outside',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[^#./]/ }, async ({ path, kind, resolveDir, pluginData }) => {
      if (kind !== 'dynamic-import' || path.startsWith('node:') || pluginData === leaveLibrariesOutside)
        return
      const source = await resolve(path, { kind, resolveDir, pluginData: leaveLibrariesOutside })
      const isLibrary = source.path.includes(`${sep}node_modules${sep}`)
      return isLibrary ? { path: pathToFileURL(source.path).href, external: true } : source
    })
  },
}

/** Libraries with compiled parts, and packages that are found by their folder. */
const external = ['better-sqlite3', '@node-rs/argon2', 'pg-native', '@querent/engine', '@querent/console/*']

/** Makes the program of a whole run, for the processes that this one starts. It is removed when this process exits. */
export const shareProgram = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'querent-program-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  await build({
    entryPoints: [entryPoint, ...threads.map(name => ({ in: join(server, 'src', `${name}.ts`), out: name }))],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    outdir: join(folder, 'bundle'),
    external,
    plugins: [keepPlaces, leaveLibrariesOutside],
    // Libraries of the older module system call it.
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
    logLevel: 'error',
  })
  const { version, imports } = JSON.parse(readFileSync(join(server, 'package.json'), 'utf8'))
  const bundled = Object.fromEntries(threads.map(name => [`#${name}`, `./bundle/${name}.js`]))
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ type: 'module', version, imports: { ...imports, ...bundled } }),
  )
  symlinkSync(join(server, 'src'), join(folder, 'src'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const command = join(bin, 'querent')
  writeFileSync(
    command,
    `#!/bin/sh\nexec "${process.execPath}" "${join(folder, 'bundle', 'main.js')}" "$@"\n`,
  )
  // A test runs it as another account.
  for (const path of [folder, bin, command, join(folder, 'package.json')]) chmodSync(path, 0o755)
  process.env[variable] = command
}
