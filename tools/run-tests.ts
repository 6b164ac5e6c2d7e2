/**
 * `npm test`: the Rust unit tests, then every `*.test.ts` of packages/, tests/, tools/ and bench/.
 *
 *   npm test                      everything
 *   npm test -- storage           the files whose path contains `storage` (`engine` includes the Rust tests)
 *   npm test -- --changed         the files that import something changed since `main`
 *   npm test -- --shard 2/4       every fourth group of files, starting with the second
 *   npm run test:unit             the tests of packages/ that start no processes
 *
 * Files run in child processes, as many at once as there are cores. Unit tests share a process: loading the modules takes longer than
 * testing them.
 */
import { fork, spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { changedFiles, selectAffected } from './affected-tests.ts'
import { openTestEnvironment } from './test-environment.ts'
import { groupTestFiles, isUnitTest, listTestFiles, type TestGroup } from './test-files.ts'

const root = join(import.meta.dirname, '..')
const groupMsMax = 10 * 60 * 1000
const engineFolder = 'packages/engine'

const { values: options, positionals: filters } = parseArgs({
  allowPositionals: true,
  options: {
    unit: { type: 'boolean', default: false },
    changed: { type: 'boolean', default: false },
    base: { type: 'string', default: 'main' },
    shard: { type: 'string', default: '1/1' },
  },
})
const fail = (message: string): never => {
  console.error(message)
  process.exit(1)
}
const shard = /^([1-9]\d?)\/([1-9]\d?)$/.exec(options.shard)
const [shardNumber, shardCount] = [Number(shard?.[1]), Number(shard?.[2])]
if (!(shardNumber <= shardCount)) fail(`--shard ${options.shard}: write it as 2/4, the second of four`)

const succeeds = (command: string, args: string[], folder = root): boolean =>
  spawnSync(command, args, { cwd: folder, stdio: 'inherit' }).status === 0

const changes = options.changed ? changedFiles(root, options.base) : []
const matches = (path: string) => filters.length === 0 || filters.some(filter => path.includes(filter))
const selectFiles = (): string[] => {
  const files = listTestFiles(root).filter(matches)
  const affected = options.changed ? selectAffected(root, files, changes) : files
  return options.unit ? affected.filter(file => isUnitTest(root, file)) : affected
}
const isRustSelected = (): boolean => {
  if (options.unit || shardNumber !== 1) return false
  return options.changed ? changes.some(path => path.startsWith(engineFolder)) : matches(engineFolder)
}

/** Uses the profile of `npm ci` for the addon, so that its dependencies are compiled already. */
const runRustTests = (): boolean => {
  console.log('Rust unit tests of packages/engine')
  return succeeds(process.execPath, ['cargo.js', 'test', '--release', '--locked'], join(root, engineFolder))
}

export interface Counts {
  tests: number
  passed: number
  failed: number
  skipped: number
  todo: number
}
const total: Counts = { tests: 0, passed: 0, failed: 0, skipped: 0, todo: 0 }

/** A group that failed, with what the summary at the end says of it. */
interface Failure {
  group: TestGroup
  counts: Counts | undefined
  /** How the process ended, if before its summary; otherwise the reporter's list of failing tests. */
  details: string
}

const addToTotal = (counts: Counts): void => {
  for (const name of Object.keys(total) as (keyof Counts)[]) total[name] += counts[name]
}

/** Runs one group in a child process, prints its report at the end, and returns its failure, if any. */
const runGroup = (group: TestGroup): Promise<Failure | undefined> =>
  new Promise(resolve => {
    const child = fork(join(import.meta.dirname, 'run-test-group.ts'), group.files, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    const output: Buffer[] = []
    let counts: Counts | undefined
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => output.push(chunk))
    // run-test-group.ts sends it after its last test.
    child.on('message', message => {
      counts = message as Counts
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), groupMsMax)
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      const report = Buffer.concat(output).toString()
      process.stdout.write(report)
      if (counts) addToTotal(counts)
      const failed = code !== 0 || counts === undefined || counts.failed > 0
      if (!failed) return resolve(undefined)
      const list = report.lastIndexOf('✖ failing tests:')
      const details = counts
        ? report.slice(list === -1 ? report.length : list)
        : `ended with ${signal ?? code} before its summary`
      resolve({ group, counts, details })
    })
  })

/** Runs the groups in order, `parallel` at once, and returns the failures. */
const runGroups = async (groups: readonly TestGroup[], parallel: number): Promise<Failure[]> => {
  const queue = [...groups]
  const failures: Failure[] = []
  const worker = async () => {
    for (let group = queue.shift(); group !== undefined; group = queue.shift()) {
      await environment.prepare(group.files)
      const failure = await runGroup(group)
      if (failure) failures.push(failure)
    }
  }
  await Promise.all(Array.from({ length: parallel }, worker))
  return failures
}

// curl and Python use the machine's HTTP proxy for every host that is not listed here.
const localHosts = [process.env.no_proxy ?? process.env.NO_PROXY, '127.0.0.1', 'localhost', 'example.org']
for (const name of ['no_proxy', 'NO_PROXY']) process.env[name] = localHosts.filter(Boolean).join()

const startedAt = Date.now()
const groups = groupTestFiles(root, selectFiles()).filter(
  (_, index) => index % shardCount === shardNumber - 1,
)
const withRust = isRustSelected()
if (groups.length === 0 && !withRust)
  fail(
    options.changed
      ? 'no test file imports a changed file'
      : `no test file's path contains ${filters.join(' or ')}`,
  )
if (!succeeds(join(root, 'tools', 'prepare-tests.sh'), [])) process.exit(1)
const files = groups.flatMap(group => group.files)
// The servers of black-box tests serve the console.
if (
  !files.every(file => isUnitTest(root, file)) &&
  !succeeds(process.execPath, ['build.js'], join(root, 'packages', 'console'))
)
  process.exit(1)
const rustPassed = !withRust || runRustTests()
const environment = openTestEnvironment(root)
// Parts that take long start while the first files run.
environment.prepare(files).catch(() => {})
const failures = await runGroups(groups, availableParallelism())
await environment.close()

// The summary comes last, in the format of Node's own runner.
const lines = {
  tests: total.tests,
  pass: total.passed,
  fail: total.failed,
  cancelled: 0,
  skipped: total.skipped,
  todo: total.todo,
  duration_ms: Date.now() - startedAt,
}
for (const { group, details } of failures) console.log(`\nfailed: ${group.files.join(' ')}\n${details}`)
console.log(`\nRust unit tests: ${withRust ? (rustPassed ? 'passed' : 'failed') : 'not selected'}`)
for (const [name, value] of Object.entries(lines)) console.log(`ℹ ${name} ${value}`)
process.exitCode = rustPassed && failures.length === 0 ? 0 : 1
