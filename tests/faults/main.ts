/** `npm run faults`: does all of it to a service of four nodes, and writes what came of it into docs/faults.md. Takes about five minutes. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Outcome, type Report, runProgramme } from './programme.ts'
import { farClocks, scenarios } from './scenarios.ts'

const page = join(import.meta.dirname, '..', '..', 'docs', 'faults.md')
const [begin, end] = ['<!-- written by npm run faults -->', '<!-- until here -->']

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

const rowOf = ({ scenario, requests, failures, wrong, longestOutageMs, recoveryMs }: Outcome): string => {
  const failed = Object.entries(failures).map(([how, count]) => `${count} × ${how}`)
  const cells = [
    scenario,
    String(requests),
    failed.join(', ') || 'none',
    String(wrong.length),
    seconds(longestOutageMs),
    seconds(recoveryMs),
  ]
  return `| ${cells.join(' | ')} |`
}

const reported = ({ outcomes, acknowledged, lost, removals, lateYeses }: Report): string =>
  [
    begin,
    '',
    '| what was done | requests | not answered well | answered wrongly | longest outage | well again after |',
    '| --- | --- | --- | --- | --- | --- |',
    ...outcomes.map(rowOf),
    '',
    `Documents acknowledged: ${acknowledged}; of them lost: ${lost.length}. Accounts removed: ${removals}; late yeses: ${lateYeses}.`,
    '',
    end,
  ].join('\n')

const report = await runProgramme([...scenarios, ...farClocks], {
  searchNodes: 3,
  say: text => process.stderr.write(`  ${text}\n`),
})
const text = await readFile(page, 'utf8')
const before = text.slice(0, text.indexOf(begin))
const after = text.slice(text.indexOf(end) + end.length)
await writeFile(page, `${before}${reported(report)}${after}`)
process.stdout.write(`${reported(report)}\n`)
const far = new Set(farClocks.map(({ name }) => name))
const wrong = report.outcomes.flatMap(outcome => (far.has(outcome.scenario) ? [] : outcome.wrong))
for (const each of wrong.slice(0, 20)) process.stderr.write(`wrong: ${each}\n`)
for (const each of report.lost.slice(0, 20)) process.stderr.write(`lost: ${each}\n`)
if (wrong.length + report.lost.length + report.lateYeses > 0) process.exitCode = 1
