/** Results as files: the same as `querent judge --json` and `--junit` write. */
import { writeJunit } from '@querent/client/relevance/junit'
import { isBroken } from '@querent/client/relevance/plan-tests'
import { type Baseline, createReport } from '@querent/client/relevance/report'
import { saveFile } from '#ui/save-file.ts'
import { type RelevanceRun, readValue } from './test-run.ts'

/** Hands the result to the browser to save. Tests that were not run are left out. */
export const saveResult = (
  workspace: string,
  { tested, compared }: RelevanceRun,
  format: 'json' | 'junit',
): void => {
  const outcomes = tested.outcomes.flatMap(outcome => (isBroken(outcome) ? [] : [outcome]))
  const report = createReport(outcomes, {
    workspace,
    config: tested.config === 'default' ? undefined : tested.config,
    baseline: readComparedValues(compared),
  })
  if (format === 'json')
    saveFile(`relevance-${workspace}.json`, 'application/json', `${JSON.stringify(report, null, 2)}\n`)
  else saveFile(`relevance-${workspace}.xml`, 'application/xml', writeJunit(report))
}

const readComparedValues = (compared: RelevanceRun['compared']): Baseline | undefined => {
  if (!compared || 'values' in compared) return compared?.values
  const values = compared.outcomes.flatMap((outcome): [string, number][] => {
    const value = readValue(outcome)
    return value === undefined ? [] : [[outcome.name, value]]
  })
  return new Map(values)
}
