/** Measures contenders in turns, so that disturbances of the machine affect all of them. */
import { type Figure, makeFigure } from '#bench/figure'

export const rounds = 5

/** Reports to the bench which contender is measured. */
export type Say = (text: string) => void

/** Measures each contender in each round. The order changes with the round. A first round is a warm-up and does not count. */
export const interleave = async <Name extends string>(
  contenders: Readonly<Record<Name, () => Promise<number>>>,
  say: Say = () => {},
  times = rounds,
): Promise<Record<Name, number[]>> => {
  // The names are those of the record, which Object.keys loses.
  const names = Object.keys(contenders) as Name[]
  const valuesByName = Object.fromEntries(names.map(name => [name, []])) as unknown as Record<Name, number[]>
  for (let round = 0; round <= times; round++) {
    const first = round % names.length
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      const value = await contenders[name]()
      if (round > 0) valuesByName[name].push(value)
    }
    if (round > 0)
      say(names.map(name => `${name} ${Math.round(valuesByName[name].at(-1) ?? Number.NaN)}`).join(' · '))
  }
  return valuesByName
}

/** Ratio of `ours` to `theirs`, round by round. */
export const ratios = (ours: readonly number[], theirs: readonly number[]): number[] =>
  ours.map((value, round) => value / (theirs[round] ?? Number.NaN))

/** Our rate as a percentage of the floor, the minimal program with the same result. */
export const shareOfFloor = (
  name: string,
  ours: readonly number[],
  floor: readonly number[],
  goal?: number,
): Figure =>
  makeFigure(
    ratios(ours, floor).map(ratio => 100 * ratio),
    { name, unit: '%', better: 'higher', ...(goal === undefined ? {} : { goal }) },
  )

/** Our rate as a multiple of a peer's. */
export const timesPeer = (
  name: string,
  ours: readonly number[],
  peer: readonly number[],
  goal?: number,
): Figure =>
  makeFigure(ratios(ours, peer), {
    name,
    unit: 'times',
    better: 'higher',
    ...(goal === undefined ? {} : { goal }),
  })

/** Requests per second on this machine, only tracked. */
export const makeRateFigure = (name: string, values: readonly number[]): Figure =>
  makeFigure(values, { name, unit: 'a second', better: 'higher' })
