/** Figures on curves, and the options of every part of growth. */
import { type Figure, makeFigure } from '#bench/figure'
import type { Say } from '#bench/http/rounds'

/** `sizes` replaces the default sizes of the part, smallest first. */
export interface Growing {
  say: Say
  sizes?: number[] | undefined
}

/** `folder` stores files that are created once. */
export interface GrowingIn extends Growing {
  folder: string
}

export type Add = (label: string, unit: string, values: readonly number[], better?: Figure['better']) => void

/**
 * Adds figures of several rounds, on curves at this number of documents, members or workspaces. `suffix` ends the curves' names.
 */
export const addTo =
  (figures: Figure[], position: number, suffix = ''): Add =>
  (curve, unit, values, better = 'lower') => {
    const label = `${curve}${suffix}`
    const name = `${label}, ${position.toLocaleString('en-US')}`
    figures.push(makeFigure(values, { name, unit, better, point: { of: label, at: position } }))
  }

export const inMs = (us: readonly number[]): number[] => us.map(value => value / 1000)
