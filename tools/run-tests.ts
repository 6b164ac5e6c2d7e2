/**
 * `npm test`: the Rust unit tests, then the `*.test.ts` of packages/, tests/, tools/ and bench/ that are not nightly (nightly-tests.ts).
 *
 *   npm test                        the ordinary set
 *   npm test -- --all               the nightly set too
 *   npm test -- --nightly-changed   the ordinary set, and the nightly files whose subject changed; .ci/run uses it
 *   npm test -- storage             the files whose path contains `storage` (`engine` includes the Rust tests)
 *   npm test -- --changed           the files nearest to what changed since `main` (nearest-tests.ts), and nightly files about it
 *   npm test -- --shard 2/4         every fourth group of files, starting with the second
 *   npm test -- --times             with the wall and processor time of every group and file at the end
 *   npm run test:unit               the tests of packages/ that start no process, use no PostgreSQL and open no server
 *
 * Files run in child processes, a few more at once than there are cores. Unit tests share a process: loading the modules takes longer than
 * testing them.
 */
import { fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { inspect, parseArgs } from 'node:util'
import { changedFiles, findBase } from './changed-files.ts'
import { openNearestTests } from './nearest-tests.ts'
import { isNamedBy, isNightly, isSubjectChanged, longerFiles } from './nightly-tests.ts'
import { openIdleMeter, runPaced } from './run-paced.ts'
import { openTestEnvironment } from './test-environment.ts'
import { groupTestFiles, isQuick, isUnitTest, listTestFiles, type TestGroup } from './test-files.ts'
import { type FileTime, type GroupTime, reportTimes } from './test-times.ts'

const root = join(import.meta.dirname, '..')
const groupMsMax = 20 * 60 * 1000
/** Before its group is ended, a wait gives up and names its condition. */
const giveUpMs = 18 * 60 * 1000
/** Groups wait for browsers, databases and processes a third of their time. Each needs up to half a gigabyte of memory. */
const groupsPerCoreMax = 4
const engineFolder = 'packages/engine'

const { values: options, positionals: filters } = parseArgs({
  allowPositionals: true,
  options: {
    unit: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    changed: { type: 'boolean', default: false },
    'nightly-changed': { type: 'boolean', default: false },
    base: { type: 'string' },
    shard: { type: 'string', default: '1/1' },
    times: { type: 'boolean', default: false },
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

/** Without any base, as in a checkout of one commit, nothing counts as changed. */
const readChanges = (): string[] => {
  if (options.changed) return changedFiles(root, options.base ?? 'main')
  const base = options['nightly-changed'] ? (options.base ?? findBase(root)) : undefined
  return base === undefined ? [] : changedFiles(root, base)
}
const changes = readChanges()
const matches = (path: string) => filters.length === 0 || filters.some(filter => path.includes(filter))

/** Nightly files run only with `--all`, if a filter names them, or if their subject changed. */
const isNightlySelected = (file: string): boolean =>
  options.all || filters.some(filter => isNamedBy(file, filter)) || isSubjectChanged(file, changes)

/** For files that run in both sets, and nightly files. */
const runsLonger = (file: string): boolean =>
  (longerFiles.includes(file) || isNightly(file)) && (options.all || isSubjectChanged(file, changes))

const selectNear = (ordinary: readonly string[]): string[] => {
  const { files, leftOut } = openNearestTests(root, ordinary)(changes)
  if (leftOut > 0)
    console.log(`leaving out ${leftOut} test files that import a change less directly: npm test runs them`)
  return files
}
const selectFiles = (): string[] => {
  const files = listTestFiles(root).filter(matches)
  const nightly = files.filter(isNightly)
  const ordinary = files.filter(file => !isNightly(file))
  const selectedNightly = nightly.filter(isNightlySelected)
  const leftOut = nightly.length - selectedNightly.length
  if (leftOut > 0 && !options.unit) console.log(`leaving out ${leftOut} nightly test files: --all runs them`)
  const selected = [...(options.changed ? selectNear(ordinary) : ordinary), ...selectedNightly]
  return options.unit ? selected.filter(file => isQuick(root, file)) : selected
}
const isRustSelected = (): boolean => {
  if (options.unit || shardNumber !== 1) return false
  return options.changed ? changes.some(path => path.startsWith(engineFolder)) : matches(engineFolder)
}

/**
 * With the profile of `npm ci` for the addon, the dependencies are compiled already. The engine itself is compiled without optimization:
 * that takes 10 seconds of processor time in place of 70, and its tests then take a few more.
 */
const rustTestArguments = [
  ...['test', '--release', '--locked', '--lib'],
  ...['--config', 'profile.release.package.querent-engine.opt-level=0'],
]

/** The groups run meanwhile. */
const runRustTests = async (): Promise<boolean> => {
  const child = spawn(process.execPath, ['cargo.js', ...rustTestArguments], {
    cwd: join(root, engineFolder),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => output.push(chunk))
  const [code] = await once(child, 'close')
  process.stdout.write(`Rust unit tests of packages/engine\n${Buffer.concat(output)}`)
  return code === 0
}

export interface Counts {
  tests: number
  passed: number
  failed: number
  skipped: number
  todo: number
}
/** The message of run-test-group.ts after its last test. */
export interface GroupSummary {
  counts: Counts
  /** The group's process and the processes that it started and that have ended. Those that groups share don't count. */
  processorSeconds: number
  files: FileTime[]
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

const times: GroupTime[] = []

/** How much of the report of a group is shown again that ended without a list of failing tests. */
const lastCharacters = 2000

/** More room for young objects, in MiB: tests make many that end soon, and collecting them takes a twentieth less of the processor time. */
const memoryFlags = ['--min-semi-space-size=16', '--max-semi-space-size=32']

/** Runs one group in a child process, prints its report at the end, and returns its failure, if any. */
const runGroup = (group: TestGroup): Promise<Failure | undefined> =>
  new Promise(resolve => {
    const groupStartedAt = Date.now()
    const child = fork(join(import.meta.dirname, 'run-test-group.ts'), group.files, {
      cwd: root,
      execArgv: [...process.execArgv, ...memoryFlags],
      env: {
        ...process.env,
        QUERENT_TEST_GIVE_UP_AT: String(groupStartedAt + giveUpMs),
        QUERENT_TEST_NIGHTLY: group.files.some(runsLonger) ? '1' : '',
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    const output: Buffer[] = []
    let summary: GroupSummary | undefined
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => output.push(chunk))
    child.on('message', message => {
      summary = message as GroupSummary
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), groupMsMax)
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      const counts = summary?.counts
      const report = Buffer.concat(output).toString()
      process.stdout.write(report)
      const wallSeconds = (Date.now() - groupStartedAt) / 1000
      times.push({
        group,
        wallSeconds,
        processorSeconds: summary?.processorSeconds,
        files: summary?.files ?? [],
      })
      if (counts) addToTotal(counts)
      const failed = code !== 0 || counts === undefined || counts.failed > 0
      if (!failed) return resolve(undefined)
      const list = report.lastIndexOf('✖ failing tests:')
      const lastLines = report.slice(-lastCharacters)
      const details = counts
        ? list === -1
          ? lastLines
          : report.slice(list)
        : `ended with ${signal ?? code} before its summary, and wrote last:\n${lastLines}`
      resolve({ group, counts, details })
    })
  })

/** Starts what the group uses, and runs it. A part that does not start is a failure of the group. */
const prepareAndRun = async (group: TestGroup): Promise<Failure | undefined> => {
  try {
    await environment.prepare(group.files)
  } catch (error) {
    return { group, counts: undefined, details: `what it uses did not start: ${inspect(error)}` }
  }
  return runGroup(group)
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
      ? 'no test file is near a changed file'
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
const rustResult = withRust ? runRustTests() : true
const environment = openTestEnvironment(root)
// Parts that take long start while the first files run. Each group that uses a part that failed reports it.
environment.prepare(files).catch(() => {})
const cores = availableParallelism()
const results = await runPaced(groups, prepareAndRun, {
  least: cores + 1,
  most: groupsPerCoreMax * cores,
  readIdleShare: openIdleMeter(),
  everyMs: 500,
})
const failures = results.filter(result => result !== undefined)
const rustPassed = await rustResult
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
console.log(`\n${reportTimes(times, options.times).join('\n')}`)
for (const { group, details } of failures) console.log(`\nfailed: ${group.files.join(' ')}\n${details}`)
console.log(`\nRust unit tests: ${withRust ? (rustPassed ? 'passed' : 'failed') : 'not selected'}`)
for (const [name, value] of Object.entries(lines)) console.log(`ℹ ${name} ${value}`)
process.exitCode = rustPassed && failures.length === 0 ? 0 : 1
