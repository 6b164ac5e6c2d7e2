/** Growth as a ratio per tenfold size: 1 stays, 10 grows with the size. Unlike times, ratios of two machines compare. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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

/** Returns the ratios of the curves of processor time, memory, disk and counts; those of which more is better are left out. */
export const readGrowthRatios = (figures: readonly Figure[]): GrowthRatio[] =>
  [
    ...Map.groupBy(
      figures.filter((figure): figure is Placed => figure.point !== undefined && !figure.absent),
      ({ point }) => point.of,
    ).values(),
  ]
    .filter(points => points.every(point => point.better === 'lower' && isSteady(point)))
    .map(readGrowthRatio)
    .filter(ratio => ratio !== undefined)

/** Returns a line for each curve that grows faster than saved by more than a quarter, between the same sizes. */
export const findFasterGrowth = (current: readonly GrowthRatio[], saved: readonly GrowthRatio[]): string[] =>
  current.flatMap(ratio => {
    const { curve, from, to, perTenfold } = ratio
    const earlier = saved.find(other => other.curve === curve && other.from === from && other.to === to)
    if (!earlier || perTenfold <= earlier.perTenfold * (1 + growthMax)) return []
    const sizes = `from ${formatSize(from)} to ${formatSize(to)}`
    return [
      `${curve}: grows ${formatRatio(ratio)} times per tenfold ${sizes}, before ${formatRatio(earlier)} times`,
    ]
  })

const savedPath = join(import.meta.dirname, 'results', 'growth-ratios.json')

type SavedRatios = Record<string, GrowthRatio[]>

const readSaved = async (): Promise<SavedRatios> => JSON.parse(await readFile(savedPath, 'utf8'))

/** Returns the saved ratios of a part of the bench. */
export const readSavedRatios = async (part: string): Promise<GrowthRatio[]> => (await readSaved())[part] ?? []

export const saveRatios = async (part: string, ratios: readonly GrowthRatio[]): Promise<void> => {
  const rounded = ratios.map(ratio => ({ ...ratio, perTenfold: Number(formatRatio(ratio)) }))
  await writeFile(savedPath, `${JSON.stringify({ ...(await readSaved()), [part]: rounded }, null, 2)}\n`)
}

const formatSize = (size: number): string => size.toLocaleString('en-US')

export const formatRatio = ({ perTenfold }: GrowthRatio): string => String(Number(perTenfold.toPrecision(3)))
