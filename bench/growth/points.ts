/** Figures on curves, and what every part of growth is given. */
import { type Figure, makeFigure } from '#bench/figure'
import type { Say } from '#bench/http/rounds'

/** `sizes`: other ones than the part's usual, smallest first. */
export interface Growing {
  say: Say
  sizes?: number[] | undefined
}

/** `folder`: files are made there, once. */
export interface GrowingIn extends Growing {
  folder: string
}

export type Add = (what: string, unit: string, values: readonly number[], better?: Figure['better']) => void

/** Adds figures of several rounds, of curves at such a number of documents, members or workspaces; `where` ends the names of the curves. */
export const addTo =
  (figures: Figure[], at: number, where = ''): Add =>
  (what, unit, values, better = 'lower') => {
    const label = `${what}${where}`
    const name = `${label}, ${at.toLocaleString('en-US')}`
    figures.push(makeFigure(values, { name, unit, better, point: { of: label, at } }))
  }

export const inMs = (us: readonly number[]): number[] => us.map(each => each / 1000)
