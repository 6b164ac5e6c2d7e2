/** Series of a chart. */
import type { UsageSummary } from '@querent/contract/manage'

/** The figures of an hour or a day. */
export interface ChartPoint {
  /** RFC 3339. */
  start: string
}

export type Point = UsageSummary['points'][number]

export interface Series<P extends ChartPoint = Point> {
  label: string
  /** Color on light and dark backgrounds, with at least 3 to 1 (WCAG 2.2, 1.4.11). */
  color: { light: string; dark: string }
  value(point: P): number | null
  format: (value: number | null) => string
}

export const chartHeight = 180
