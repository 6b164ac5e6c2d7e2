import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { queryApi } from '@querent/client'
import { JudgmentsError, parseJudgments } from '@querent/client/relevance/judgments'
import { writeJunit } from '@querent/client/relevance/junit'
import { type BrokenTest, isBroken, planTests } from '@querent/client/relevance/plan-tests'
import {
  type Baseline,
  createReport,
  describeLeak,
  type Report,
  readBaseline,
} from '@querent/client/relevance/report'
import { type BatchCall, runTests } from '@querent/client/relevance/run-tests'
import { leakTestsAtOnceMax } from '@querent/contract/manage'
import { readWorkspaceFile } from '@querent/contract/read-workspace-file'
import { isLeakTest, type LeakTestOutcome } from '@querent/contract/relevance-tests'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import type { Command } from 'commander'
import { defineCommand, option } from '#command-line/define'
import { CommandError } from '#command-line/failure'
import { createReadError, createWriteError } from '#command-line/file-failure'
import type { Globals } from '#command-line/globals'
import { withAccount } from '#connection/account-options'
import { type AccountOptions, connect } from '#connection/connect'
import { pluralize, print } from '#terminal/output'
import { table } from '#terminal/table'

interface Options extends Globals, AccountOptions {
  config?: string
  baseline?: string
  junit?: string
}

export const judge = (): Command =>
  withAccount(
    defineCommand(
      'judge',
      'Run the relevance tests and leak tests of a workspace file against a server. Exits with 1 if one fails.',
      'querent judge workspace.yaml --json > baseline.json',
      'querent judge workspace.yaml --baseline baseline.json --junit judge.xml',
      'querent judge workspace.yaml --config staging --baseline baseline.json',
    ),
  )
    .argument('<file>', 'workspace file with `tests`')
    .addOption(option('--config <name>', 'use this configuration for all tests, instead of their own'))
    .addOption(option('--baseline <file>', 'compare with the output of an earlier run with --json'))
    .addOption(option('--junit <file>', 'also write the outcome as JUnit XML, for CI systems'))
    .action(async (path: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const { config } = options
      const file = await readTests(path)
      const baseline = options.baseline === undefined ? undefined : await readBaselineFile(options.baseline)
      const { baseUrl, tokenFor } = await connect(options, options)
      const queriesFor = (api: string) => queryApi({ baseUrl, token: tokenFor() }, file.workspace, api)
      const planned = await planTests(file, {
        describeApi: api => queriesFor(api).about(),
        readJudgments: name => readJudgments(join(dirname(path), name)),
      })
      const batch: BatchCall = (api, requests) => queriesFor(api).batch(requests)
      const outcomes = refuseBroken(await runTests(refuseBroken(planned), { batch, config }))
      const leakTests = await runLeakTests(options, file, config)
      const report = createReport(outcomes, { workspace: file.workspace, config, baseline, leakTests })
      if (options.junit !== undefined) await writeReport(options.junit, writeJunit(report))
      print(options, { json: report, text: describe(report) })
      if (report.failed > 0)
        throw new CommandError(
          `${report.failed} of ${pluralize(report.passed + report.failed, 'test')} failed`,
        )
    })

/** The server runs leak tests, for the operator or the person who signed in: accounts cannot manage anything. */
const runLeakTests = async (
  globals: Globals,
  { workspace, tests = [] }: WorkspaceFile,
  config: string | undefined,
): Promise<LeakTestOutcome[]> => {
  const leakTests = tests.filter(isLeakTest)
  if (leakTests.length === 0) return []
  const { management } = await connect(globals)
  const outcomes: LeakTestOutcome[] = []
  for (let index = 0; index < leakTests.length; index += leakTestsAtOnceMax) {
    const part = leakTests.slice(index, index + leakTestsAtOnceMax)
    const input = { tests: part, ...(config !== undefined && { config }) }
    outcomes.push(...(await management.call('runLeakTests', { params: { workspace }, input })).items)
  }
  return outcomes
}

const readText = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: unknown) => {
    throw createReadError(path, error)
  })

const writeReport = (path: string, text: string): Promise<void> =>
  writeFile(path, text).catch((error: unknown) => {
    throw createWriteError(path, error)
  })

const readTests = async (path: string) => {
  const read = readWorkspaceFile(await readText(path), 'any')
  if ('errors' in read) {
    const [first] = read.errors
    throw new CommandError(
      `${[path, first?.line, first?.column].filter(part => part !== undefined).join(':')}: ${first?.path}: ${first?.message}`,
    )
  }
  if ((read.file.tests ?? []).length === 0) throw new CommandError(`${path} has no \`tests\``)
  return read.file
}

const readJudgments = async (path: string) => {
  try {
    return parseJudgments(await readText(path))
  } catch (error) {
    if (!(error instanceof JudgmentsError)) throw error
    throw new CommandError(
      `${[path, error.line].filter(part => part !== undefined).join(':')}: ${error.message}`,
    )
  }
}

const readBaselineFile = async (path: string): Promise<Baseline> => {
  const text = await readText(path)
  try {
    return readBaseline(text)
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replaceAll(/\s*\n\s*/g, ' ')
    throw new CommandError(`${path} is not the output of \`querent judge --json\`: ${reason}`)
  }
}

/** Throws the error of the first test that cannot be run. */
const refuseBroken = <Test extends object>(tests: readonly Test[]): Exclude<Test, BrokenTest>[] =>
  tests.map(test => {
    // The filter in the type: TypeScript does not narrow a type parameter.
    if (!isBroken(test)) return test as Exclude<Test, BrokenTest>
    if (test.error instanceof JudgmentsError) throw new CommandError(`${test.name}: ${test.error.message}`)
    throw test.error
  })

const describe = (report: Report): string => {
  const { tests, leakTests = [] } = report
  return [
    ...(tests.length > 0 || leakTests.length === 0 ? [describeTests(report)] : []),
    ...leakTests.map(test =>
      test.passed
        ? `passed  leak test ${test.name}`
        : `failed  leak test ${test.name}: ${describeLeak(test)}`,
    ),
  ].join('\n')
}

const describeTests = ({ tests }: Report): string => {
  const hasBaseline = tests.some(({ before }) => before !== undefined)
  const format = (value: number | undefined) => value?.toFixed(3) ?? ''
  const rows = tests.map(({ name, metric, value, atLeast, passed, before }) => [
    passed ? 'passed' : 'failed',
    name,
    metric,
    format(value),
    format(atLeast),
    ...(hasBaseline ? [format(before)] : []),
  ])
  const columns = [
    { title: '' },
    { title: 'test', width: 50 },
    { title: 'metric' },
    { title: 'value', right: true } as const,
    { title: 'at least', right: true } as const,
    ...(hasBaseline ? [{ title: 'before', right: true } as const] : []),
  ]
  const failures = tests
    .filter(({ passed }) => !passed)
    .flatMap(({ name, failedQueries }) => [
      '',
      name,
      ...failedQueries.flatMap(({ query, value, missing, found }) => [
        `  ${format(value)}  ${query}`,
        ...(missing.length === 0 ? [] : [`         not found: ${missing.join(', ')}`]),
        `         found: ${found.join(', ') || 'nothing'}`,
      ]),
    ])
  return [table(columns, rows), ...failures].join('\n')
}
