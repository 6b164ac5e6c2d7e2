import type { StackedEndpoint } from '@querent/contract/paths'

/** Describes the values of a step, with the names of several. A range says which of its ends is given: `≥ 10`, `≤ 20`, `10–20`. */
export const describeParameters = ({ parameters }: StackedEndpoint, kind: string): string => {
  const given = parameters.filter(({ value }) => value !== '')
  const [first] = given
  if (kind !== 'range' || !given.every(({ name }) => name === 'from' || name === 'to'))
    return given
      .map(({ name, value }) => (parameters.length === 1 && kind !== 'range' ? value : `${name} ${value}`))
      .join(' ')
  if (given.length === 1 && first) return `${first.name === 'from' ? '≥' : '≤'} ${first.value}`
  const find = (end: string) => given.find(({ name }) => name === end)?.value ?? ''
  return given.length === 0 ? '' : `${find('from')}–${find('to')}`
}
