/** A result of a bench. */

export interface Figure {
  name: string
  unit: string
  /** Median of the rounds. */
  value: number
  /** Minimum and maximum of the rounds. */
  spread: [number, number]
  better: 'lower' | 'higher'
  /** The goal; without one, the figure is only tracked. */
  goal?: number
  /** Known results of other programs. */
  peers?: string
  /** Its bar in a comparison (drawing.ts); without one, it is not drawn. */
  bar?: Bar
  /** Its point on a curve, at a number of documents, members or workspaces. Figures of one curve share a table row. */
  point?: Point
  /** The reason why it could not be measured here. Then its numbers are NaN. */
  absent?: string
}

export interface Bar {
  /** Title of the comparison. Bars with the same title are drawn together. */
  of: string
  label: string
  is: 'ours' | 'limit' | 'peer'
}

/** `of` names the curve. */
export interface Point {
  of: string
  at: number
}

/** Makes a figure from several rounds. */
export const makeFigure = (rounds: readonly number[], about: Omit<Figure, 'value' | 'spread'>): Figure => {
  const sorted = rounds.toSorted((left, right) => left - right)
  const value = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  return { ...about, value, spread: [sorted[0] ?? value, sorted.at(-1) ?? value] }
}

export const isReached = ({ value, goal, better }: Figure): boolean =>
  goal === undefined || (better === 'lower' ? value <= goal : value >= goal)

/** Adds a bar to a figure, in the comparison `of`. */
export const withBar = (figure: Figure, of: string, is: Bar['is'], label = 'Querent'): Figure => ({
  ...figure,
  bar: { of, label, is },
})
