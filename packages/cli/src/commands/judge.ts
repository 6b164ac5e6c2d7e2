import { readFile, writeFile } from 'node:fs/promises'
import { queryApi } from '@querent/client'
import { readWorkspaceFile } from '@querent/contract/read-workspace-file'
import type { Command } from 'commander'
import { defineCommand, option } from '#command-line/define'
import { CommandError } from '#command-line/failure'
import type { Globals } from '#command-line/globals'
import { withAccount } from '#connection/account-options'
import { type AccountOptions, connect } from '#connection/connect'
import { writeJunit } from '#judge/junit'
import { runRelevanceTests, type TestOutcome } from '#judge/run-tests'
import { pluralize, print } from '#terminal/output'
import { table } from '#terminal/table'

interface Options extends Globals, AccountOptions {
  baseline?: string
  junit?: string
}

export const judge = (): Command =>
  withAccount(
    defineCommand(
      'judge',
      'Run the relevance tests of a workspace file against a server. Exits with 1 if one fails.',
      'querent judge workspace.yaml --json > baseline.json',
      'querent judge workspace.yaml --baseline baseline.json --junit judge.xml',
    ),
  )
    .argument('<file>', 'workspace file with `tests`')
    .addOption(option('--baseline <file>', 'compare with the output of an earlier run with --json'))
    .addOption(option('--junit <file>', 'also write the outcome as JUnit XML, for CI systems'))
    .action(async (path: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const file = await readTests(path)
      const baseline = options.baseline === undefined ? undefined : await readBaseline(options.baseline)
      const { baseUrl, tokenFor } = await connect(options, options)
      const outcomes = await runRelevanceTests({
        path,
        file,
        queriesOf: api => queryApi({ baseUrl, token: tokenFor() }, file.workspace, api),
      })
      const tests = outcomes.map(outcome => {
        const baselineValue = baseline?.get(outcome.name)
        return baselineValue === undefined
          ? outcome
          : { ...outcome, before: baselineValue, change: outcome.value - baselineValue }
      })
      if (options.junit !== undefined) await writeFile(options.junit, writeJunit(file.workspace, outcomes))
      const failed = outcomes.filter(({ passed }) => !passed).length
      print(options, {
        json: { workspace: file.workspace, passed: outcomes.length - failed, failed, tests },
        text: describe(tests),
      })
      if (failed > 0) throw new CommandError(`${failed} of ${pluralize(outcomes.length, 'test')} failed`)
    })

const readTests = async (path: string) => {
  const source = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new CommandError(`${path} cannot be read: ${error instanceof Error ? error.message : error}`)
  })
  const read = readWorkspaceFile(source)
  if ('errors' in read) {
    const [first] = read.errors
    throw new CommandError(
      `${[path, first?.line, first?.column].filter(part => part !== undefined).join(':')}: ${first?.path}: ${first?.message}`,
    )
  }
  if ((read.file.tests ?? []).length === 0) throw new CommandError(`${path} has no \`tests\``)
  return read.file
}

/** Returns the values of an earlier run by the names of its tests. */
const readBaseline = async (path: string): Promise<Map<string, number>> => {
  try {
    const { tests } = JSON.parse(await readFile(path, 'utf8')) as { tests: TestOutcome[] }
    return new Map(tests.map(({ name, value }) => [name, value]))
  } catch (error) {
    throw new CommandError(
      `${path} is not the output of \`querent judge --json\`: ${error instanceof Error ? error.message : error}`,
    )
  }
}

const describe = (tests: readonly (TestOutcome & { before?: number })[]): string => {
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
  const failures = tests.flatMap(({ name, failedQueries, passed }) =>
    passed
      ? []
      : [
          '',
          name,
          ...failedQueries.map(({ query, value, missing }) =>
            missing ? `  ${query}: not found: ${missing.join(', ')}` : `  ${format(value)}  ${query}`,
          ),
        ],
  )
  return [table(columns, rows), ...failures].join('\n')
}
