/** Says in a filter above the results what the parameters of its step are. */
import type { StackedEndpoint } from '@querent/contract/paths'
import type { ValueForm } from '@querent/contract/value-form'
import { writeDecimal } from '#ui/write-decimal.ts'

type Parameters = StackedEndpoint['parameters']

/** Describes the values of a step, with the names of several. A range says which of its ends is given: `≥ 10`, `≤ 20`, `10–20`. */
export const describeParameters = (
  { parameters }: StackedEndpoint,
  kind: string,
  form: ValueForm = {},
): string => {
  const filled = parameters
    .filter(({ value }) => value !== '')
    .map(({ name, value }) => ({ name, value: writeDecimal(value, form) }))
  if (kind === 'range' && filled.every(({ name }) => name === 'from' || name === 'to'))
    return describeEnds(filled)
  return filled
    .map(({ name, value }) => (parameters.length === 1 && kind !== 'range' ? value : `${name} ${value}`))
    .join(' ')
}

/** A range may name its ends otherwise. These are their usual names. */
const describeEnds = (ends: Parameters): string => {
  const low = ends.find(({ name }) => name === 'from')?.value
  const high = ends.find(({ name }) => name === 'to')?.value
  if (low === undefined) return high === undefined ? '' : `≤ ${high}`
  return high === undefined ? `≥ ${low}` : `${low}–${high}`
}
