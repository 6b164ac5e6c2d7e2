/** Contenders measured by turns, so that what the machine does meanwhile meets all of them. */
import { type Figure, makeFigure } from '#bench/figure'

export const rounds = 5

/** How the bench is told what is measured just now. */
export type Say = (text: string) => void

/**
 * A number of each contender for each of so many rounds. Who begins a round changes with the round; a round before the first warms up and
 * does not count.
 */
export const interleave = async <Name extends string>(
  contenders: Readonly<Record<Name, () => Promise<number>>>,
  say: Say = () => {},
  times = rounds,
): Promise<Record<Name, number[]>> => {
  // The names are those of the record, which Object.keys forgets.
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

/** What `ours` is of `theirs`, round by round. */
export const ratios = (ours: readonly number[], theirs: readonly number[]): number[] =>
  ours.map((value, round) => value / (theirs[round] ?? Number.NaN))

/** Ours in per cent of the floor: the least that could do the same. */
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

/** How many times as many a second as a peer. */
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

/** Requests a second; only watched, and of this machine. */
export const makeRateFigure = (name: string, values: readonly number[]): Figure =>
  makeFigure(values, { name, unit: 'a second', better: 'higher' })
