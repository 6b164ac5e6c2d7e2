/** What a bench finds out. */

export interface Figure {
  name: string
  unit: string
  /** The median of the rounds. */
  value: number
  /** The least and the most of the rounds. */
  spread: [number, number]
  better: 'lower' | 'higher'
  /** What it has to reach; none: it is only watched. */
  goal?: number
  /** What others were seen to do, where that is known. */
  peers?: string
  /** Its bar among those that it is compared with (drawing.ts); none: it is not drawn. */
  bar?: Bar
  /** Its place on a curve: measured at such a number of documents, members or workspaces; figures of one curve share a table row. */
  point?: Point
  /** Why it could not be measured here; then its numbers are NaN. */
  absent?: string
}

export interface Bar {
  /** What is compared: bars of one title stand together. */
  of: string
  label: string
  is: 'ours' | 'limit' | 'peer'
}

/** `of` names the curve. */
export interface Point {
  of: string
  at: number
}

/** A figure of several rounds. */
export const makeFigure = (rounds: readonly number[], about: Omit<Figure, 'value' | 'spread'>): Figure => {
  const sorted = rounds.toSorted((left, right) => left - right)
  const value = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  return { ...about, value, spread: [sorted[0] ?? value, sorted.at(-1) ?? value] }
}

export const isReached = ({ value, goal, better }: Figure): boolean =>
  goal === undefined || (better === 'lower' ? value <= goal : value >= goal)

/** A figure that is drawn as a bar among those `of` the same. */
export const withBar = (figure: Figure, of: string, is: Bar['is'], label = 'Querent'): Figure => ({
  ...figure,
  bar: { of, label, is },
})
