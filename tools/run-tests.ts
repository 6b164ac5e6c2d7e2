/**
 * `npm test`: the Rust unit tests, then every `*.test.ts` of packages/, tests/, tools/ and bench/. Arguments narrow it down to the files whose path
 * contains one of them (`npm test -- storage`); the Rust tests run when one of them names the engine.
 */
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

const root = join(import.meta.dirname, '..')
/** Of one file; then it counts as failed. */
const fileMsMax = 10 * 60 * 1000
/** The machines that run this have two cores. */
const filesAtOnce = 2
const engineFolder = join('packages', 'engine')

const filters = process.argv.slice(2)
const wanted = (path: string) => filters.length === 0 || filters.some(filter => path.includes(filter))

const succeeds = (command: string, args: string[], folder = root): boolean =>
  spawnSync(command, args, { cwd: folder, stdio: 'inherit' }).status === 0

const testFiles = (): string[] =>
  globSync(['packages/*/src/**/*.test.ts', '{tests,tools,bench}/**/*.test.ts'], { cwd: root })
    .filter(path => !path.split(sep).includes('node_modules'))
    .filter(wanted)
    .toSorted()

/** With the profile that `npm ci` builds the addon with: its dependencies are compiled already. */
const runRustTests = (): boolean => {
  console.log('Rust unit tests of packages/engine')
  return succeeds(process.execPath, ['cargo.js', 'test', '--release', '--locked'], join(root, engineFolder))
}

/** Resolves to the closing lines, and whether every test passed. */
const runTestFiles = async (files: string[]): Promise<{ passed: boolean; summary: string }> => {
  let passed = true
  let summary = ''
  // Node has `globalSetupPath` (as `--test-global-setup`); its types do not know it yet.
  const options: Parameters<typeof run>[0] & { globalSetupPath: string } = {
    files: files.map(file => join(root, file)),
    cwd: root,
    concurrency: filesAtOnce,
    timeout: fileMsMax,
    globalSetupPath: join(root, 'packages', 'server', 'src', 'storage', 'test-postgres.ts'),
  }
  const results = run(options)
  results.on('test:fail', ({ todo, skip }) => {
    if (todo === undefined && skip === undefined) passed = false
  })
  results.on('test:summary', ({ file, counts, duration_ms, success }) => {
    // Each file has a summary of its own; the last is that of the whole run.
    if (file !== undefined) return
    passed &&= success
    const { tests, suites, passed: pass, cancelled, skipped, todo } = counts
    const fail = tests - pass - cancelled - skipped - todo
    const lines = { tests, suites, pass, fail, cancelled, skipped, todo, duration_ms }
    summary = Object.entries(lines)
      .map(([name, value]) => `ℹ ${name} ${value}\n`)
      .join('')
  })
  await pipeline(results, spec(), process.stdout, { end: false })
  return { passed, summary }
}

// curl and Python ask the machine's HTTP proxy, where it has one, for whatever is not named here: the servers of the tests.
const ownHosts = [process.env.no_proxy ?? process.env.NO_PROXY, '127.0.0.1', 'localhost', 'example.org']
for (const name of ['no_proxy', 'NO_PROXY']) process.env[name] = ownHosts.filter(Boolean).join()
if (!succeeds(join(root, 'tools', 'prepare-tests.sh'), [])) process.exit(1)
// The servers that tests start bring it along.
if (!succeeds(process.execPath, ['build.js'], join(root, 'packages', 'console'))) process.exit(1)
const files = testFiles()
const withRust = wanted(engineFolder)
if (files.length === 0 && !withRust) {
  console.error(`no test file's path contains ${filters.join(' or ')}`)
  process.exit(1)
}
const rustPassed = !withRust || runRustTests()
const { passed, summary } = files.length === 0 ? { passed: true, summary: '' } : await runTestFiles(files)
// Last, so that they can be read without searching: failures are listed above.
console.log(
  `\nRust unit tests: ${withRust ? (rustPassed ? 'passed' : 'failed') : 'not asked for'}\n${summary}`.trimEnd(),
)
process.exitCode = rustPassed && passed && (files.length === 0 || summary !== '') ? 0 : 1
