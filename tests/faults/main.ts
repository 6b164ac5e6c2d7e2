/**
 * `npm run faults`: runs all scenarios on a service of four nodes and writes the results to bench/notes/faults.md. Takes about ten minutes.
 *
 *   npm run faults -- frozen    only the scenarios whose name contains this text; prints the results, and writes no page
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Outcome, type Report, runScenarios } from './programme.ts'
import { farClocks, scenarios } from './scenarios.ts'

const page = join(import.meta.dirname, '..', '..', 'bench', 'notes', 'faults.md')
const [begin, end] = ['<!-- written by npm run faults -->', '<!-- until here -->']

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

const makeRow = (outcome: Outcome): string => {
  const { scenario, requests, failures, wrong, longestOutageMs, recoveryMs, letInMs } = outcome
  const { queryP99Ms, failedTwice } = outcome
  const failed = Object.entries(failures).map(([reason, count]) => `${count} × ${reason}`)
  const cells = [
    scenario,
    String(requests),
    failed.join(', ') || 'none',
    String(wrong.length),
    seconds(queryP99Ms),
    String(failedTwice),
    seconds(longestOutageMs),
    seconds(recoveryMs),
    seconds(letInMs),
  ]
  return `| ${cells.join(' | ')} |`
}

const renderReport = ({ outcomes, acknowledged, lost, removals, lateGrants }: Report): string =>
  [
    begin,
    '',
    '| what was done | requests | not answered well | answered wrongly | p99 of queries | queries that failed twice | longest outage | well again after | a removed account was let in for |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...outcomes.map(makeRow),
    '',
    `Documents acknowledged: ${acknowledged}; of them lost: ${lost.length}. Accounts removed: ${removals}; late yeses: ${lateGrants}.`,
    '',
    end,
  ].join('\n')

const [text = ''] = process.argv.slice(2)
const chosen = [...scenarios, ...farClocks].filter(({ name }) => name.includes(text))
const report = await runScenarios(chosen, {
  searchNodes: 3,
  say: text => process.stderr.write(`  ${text}\n`),
})
if (text === '') {
  const document = await readFile(page, 'utf8')
  const textBefore = document.slice(0, document.indexOf(begin))
  const textAfter = document.slice(document.indexOf(end) + end.length)
  await writeFile(page, `${textBefore}${renderReport(report)}${textAfter}`)
}
process.stdout.write(`${renderReport(report)}\n`)
const far = new Set(farClocks.map(({ name }) => name))
const wrong = report.outcomes.flatMap(outcome => (far.has(outcome.scenario) ? [] : outcome.wrong))
for (const message of wrong.slice(0, 20)) process.stderr.write(`wrong: ${message}\n`)
for (const id of report.lost.slice(0, 20)) process.stderr.write(`lost: ${id}\n`)
if (wrong.length + report.lost.length + report.lateGrants > 0) process.exitCode = 1
