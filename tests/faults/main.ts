/** `npm run faults`: runs all scenarios on a service of four nodes and writes the results to docs/faults.md. Takes about five minutes. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Outcome, type Report, runScenarios } from './programme.ts'
import { farClocks, scenarios } from './scenarios.ts'

const page = join(import.meta.dirname, '..', '..', 'docs', 'faults.md')
const [begin, end] = ['<!-- written by npm run faults -->', '<!-- until here -->']

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

const makeRow = (outcome: Outcome): string => {
  const { scenario, requests, failures, wrong, longestOutageMs, recoveryMs, letInMs } = outcome
  const failed = Object.entries(failures).map(([reason, count]) => `${count} × ${reason}`)
  const cells = [
    scenario,
    String(requests),
    failed.join(', ') || 'none',
    String(wrong.length),
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
    '| what was done | requests | not answered well | answered wrongly | longest outage | well again after | a removed account was let in for |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...outcomes.map(makeRow),
    '',
    `Documents acknowledged: ${acknowledged}; of them lost: ${lost.length}. Accounts removed: ${removals}; late yeses: ${lateGrants}.`,
    '',
    end,
  ].join('\n')

const report = await runScenarios([...scenarios, ...farClocks], {
  searchNodes: 3,
  say: text => process.stderr.write(`  ${text}\n`),
})
const text = await readFile(page, 'utf8')
const textBefore = text.slice(0, text.indexOf(begin))
const textAfter = text.slice(text.indexOf(end) + end.length)
await writeFile(page, `${textBefore}${renderReport(report)}${textAfter}`)
process.stdout.write(`${renderReport(report)}\n`)
const far = new Set(farClocks.map(({ name }) => name))
const wrong = report.outcomes.flatMap(outcome => (far.has(outcome.scenario) ? [] : outcome.wrong))
for (const message of wrong.slice(0, 20)) process.stderr.write(`wrong: ${message}\n`)
for (const id of report.lost.slice(0, 20)) process.stderr.write(`lost: ${id}\n`)
if (wrong.length + report.lost.length + report.lateGrants > 0) process.exitCode = 1
