/** Reads the parameters of one endpoint in a path. */
import { listNames } from '@querent/contract/nearest-names'
import type { StackedEndpoint } from '@querent/contract/paths'
import { Problem } from '#errors'
import type { Step, Values } from './step.ts'

/** Returns values in the order of the step's parameters. Throws Problem `bad-parameter` for an unknown, repeated or missing parameter. */
export const readParameters = (step: Step, pairs: StackedEndpoint['parameters']): Values => {
  const values = new Array<string | undefined>(step.parameters.length).fill(undefined)
  for (const { name, value } of pairs) {
    const place = step.parameters.findIndex(parameter => parameter.name === name)
    if (place < 0)
      throw new Problem(
        'bad-parameter',
        `"${step.name}" has no parameter "${name.slice(0, 100)}"; allowed: ${listNames(step.parameters.map(parameter => parameter.name))}${describeFilter(step)}`,
      )
    if (values[place] !== undefined)
      throw new Problem(
        'bad-parameter',
        `the parameter "${name}" of "${step.name}" is given twice; allowed: once`,
      )
    values[place] = value
  }
  for (const [place, { name, required }] of step.parameters.entries())
    if (required && values[place] === undefined)
      throw new Problem(
        'bad-parameter',
        `the parameter "${name}" of "${step.name}" is missing: write /p/${name}/{value}`,
      )
  const givenCount = values.filter(value => value !== undefined).length
  if (step.needsOne && givenCount !== 1)
    throw new Problem(
      'bad-parameter',
      `"${step.name}" needs one of the parameters ${listNames(step.parameters.map(({ name }) => name))}; found ${givenCount}`,
    )
  return values
}

/** Names the filter of a facet, which is the place of its values. */
const describeFilter = ({ kind, name }: Step): string =>
  kind === 'facet' ? `; to filter by it, use "${name}:FILTER"` : ''
