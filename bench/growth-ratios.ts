/** Growth as a ratio per tenfold size: 1 stays, 10 grows with the size. Unlike times, ratios of two machines compare. */
import type { Figure, Point } from './figure.ts'

type Placed = Figure & { point: Point }

export interface GrowthRatio {
  /** Name of the curve. */
  curve: string
  perTenfold: number
  /** The smallest and the largest size. */
  from: number
  to: number
}

/** A ratio that is larger by more than this is worth a look. */
const growthMax = 0.25

/** Other processes change these times, so a check of their ratios would fail by chance. */
const wallTimeUnits = /^(ms|µs|a second|documents\/s)/

const isSteady = ({ unit, point }: Placed): boolean =>
  point.of.includes('processor') || !wallTimeUnits.test(unit)

/** Returns the ratio of a curve between its smallest and its largest size, or undefined if there is none. */
export const readGrowthRatio = (points: readonly Placed[]): GrowthRatio | undefined => {
  const sorted = points.toSorted((one, other) => one.point.at - other.point.at)
  const [first, last] = [sorted[0], sorted.at(-1)]
  if (!first || !last || first.point.at === last.point.at || first.value <= 0 || last.value <= 0)
    return undefined
  const tenfolds = Math.log10(last.point.at / first.point.at)
  return {
    curve: first.point.of,
    perTenfold: (last.value / first.value) ** (1 / tenfolds),
    from: first.point.at,
    to: last.point.at,
  }
}

const readCurves = (figures: readonly Figure[]): Map<string, Placed[]> =>
  Map.groupBy(
    figures.filter((figure): figure is Placed => figure.point !== undefined && !figure.absent),
    ({ point }) => point.of,
  )

/**
 * Returns a line for each curve that grows faster than before by more than a quarter, between the sizes that both have. Compares processor
 * time, memory, disk and counts; curves of which more is better are left out.
 */
export const findFasterGrowth = (now: readonly Figure[], before: readonly Figure[]): string[] => {
  const earlierCurves = readCurves(before)
  return [...readCurves(now)].flatMap(([curve, points]) => {
    const earlierPoints = earlierCurves.get(curve) ?? []
    const haveBoth = (these: readonly Placed[], others: readonly Placed[]) =>
      these.filter(({ point }) => others.some(other => other.point.at === point.at))
    const ratio = readGrowthRatio(haveBoth(points, earlierPoints))
    const earlier = readGrowthRatio(haveBoth(earlierPoints, points))
    const isCompared = points.every(point => point.better === 'lower' && isSteady(point))
    if (!ratio || !earlier || !isCompared || ratio.perTenfold <= earlier.perTenfold * (1 + growthMax))
      return []
    const sizes = `from ${formatSize(ratio.from)} to ${formatSize(ratio.to)}`
    return [
      `${curve}: grows ${formatRatio(ratio)} times per tenfold ${sizes}, before ${formatRatio(earlier)} times`,
    ]
  })
}

const formatSize = (size: number): string => size.toLocaleString('en-US')

export const formatRatio = ({ perTenfold }: GrowthRatio): string => String(Number(perTenfold.toPrecision(3)))
