/** Lists the test files, tells unit tests apart, and groups files that share a process. */
import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, sep } from 'node:path'
import { isNightly, longerFiles } from './nightly-tests.ts'

/** Test files that run in one process, one after another. */
export interface TestGroup {
  files: string[]
}

const unitFilesPerGroup = 40
/** The hooks of a group run at the same time, and one process checks at most four workspace files at once. */
const fakeDomFilesPerGroup = 7
const serverFilesPerGroup = 9

/** Returns paths of all test files, relative to the checkout, sorted. */
export const listTestFiles = (root: string): string[] =>
  globSync(['packages/*/src/**/*.test.ts', '{tests,tools,bench}/**/*.test.ts'], { cwd: root })
    .map(path => path.replaceAll(sep, '/'))
    .filter(path => !path.includes('node_modules/'))
    .toSorted()

/** A unit test starts no process, because that takes longer than the test. */
const startsProcesses = /from 'node:child_process'|#tests\/|\.crash'|#stand-in\//

/** Timers of the whole process stand still during these tests: a server that another file has opened would no longer hear its storage. */
const stopsTimers = /apis: \[[^\]]*'setTimeout'/

/** Unit tests that take ten seconds or more have a process each, and start before the others. */
const slowUnit = /manage.account-endings|query.reply-size|storage.storage\.test/

/** Returns whether a test of packages/ starts no process. */
export const isUnitTest = (root: string, path: string): boolean =>
  path.startsWith('packages/') && !startsProcesses.test(readFileSync(join(root, path), 'utf8'))

const usesPostgres = /\/test-postgres/

/** Modules that open a server, its storage or an engine in the process of the test: their tests take seven eighths of the time of all. */
const opensServer =
  /\/test-(application|company|node|operations|pages|provider|server|service|sign-in|tokens)(\.ts)?'|\bopen(Storage|Engine|App)\b/

/** Returns whether a test of packages/ is quick: it starts no process, uses no PostgreSQL, and opens no server. */
export const isQuick = (root: string, path: string): boolean => {
  const text = readFileSync(join(root, path), 'utf8')
  return isUnitTest(root, path) && !usesPostgres.test(text) && !opensServer.test(text)
}

/** Tests of the console in the fake DOM share one window, and one browser that measures their views. */
const usesFakeDom = /#tests\/support\/console-dom\//

/** A server in the process of the test, and nothing that another file in that process would notice. */
const startsServer = /\bstartServer\(/
const needsOwnProcess =
  /ServerProcess|process\.env|chdir|mock\.|^(before|after)Each|\b(spawn|exec(File)?)\(|Chromium|-site'|startNodes|OpenSearch/m

/** A file that runs longer at night would use up the time of its group. */
const takesLong = (file: string): boolean => isNightly(file) || longerFiles.includes(file)

/** Returns whether a black-box test may share its process with others: most of its time is loading the server. */
const sharesProcess = (root: string, path: string): boolean => {
  const text = readFileSync(join(root, path), 'utf8')
  return startsServer.test(text) && !needsOwnProcess.test(text)
}

/** Deals files like cards, because neighbors in a folder take about the same time. No core stays without a group while files remain. */
const deal = (files: readonly string[], filesPerGroup: number): TestGroup[] => {
  const groupCount = Math.max(
    Math.ceil(files.length / filesPerGroup),
    Math.min(files.length, availableParallelism()),
  )
  return Array.from({ length: groupCount }, (_, group) => ({
    files: files.filter((_file, index) => index % groupCount === group),
  }))
}

/** The slowest files come first, so that no core waits for them at the end. Those of the console don't wait for OpenSearch. */
const slowFirst = [
  /tests.console/,
  /tests.(cluster|deploy|engines)|embedded\.test|account-endings|backup|faults/,
  /tests.(operate|sign-in)/,
]

/**
 * Black-box tests get a process each, unless they only start a server. Those and unit tests share processes. Groups that take long come first, and
 * single short files last, so that no core waits for the last group.
 */
export const groupTestFiles = (root: string, files: readonly string[]): TestGroup[] => {
  const unit = files.filter(file => isUnitTest(root, file))
  const slow = unit.filter(file => slowUnit.test(file))
  const stopping = unit.filter(
    file => !slow.includes(file) && stopsTimers.test(readFileSync(join(root, file), 'utf8')),
  )
  const quick = unit.filter(file => !slow.includes(file) && !stopping.includes(file))
  const fakeDom = files.filter(file => usesFakeDom.test(readFileSync(join(root, file), 'utf8')))
  const remaining = files.filter(file => !unit.includes(file) && !fakeDom.includes(file))
  const sharing = remaining.filter(file => !takesLong(file) && sharesProcess(root, file))
  const blackBox = remaining.filter(file => !sharing.includes(file))
  const slowBlackBox = [...new Set(slowFirst.flatMap(pattern => blackBox.filter(file => pattern.test(file))))]
  const alone = (paths: readonly string[]): TestGroup[] => paths.map(file => ({ files: [file] }))
  return [
    ...deal(fakeDom, fakeDomFilesPerGroup),
    ...alone(slowBlackBox),
    ...alone(slow),
    ...deal(sharing, serverFilesPerGroup),
    ...deal(stopping, unitFilesPerGroup),
    ...deal(quick, unitFilesPerGroup),
    ...alone(blackBox.filter(file => !slowBlackBox.includes(file))),
  ]
}
