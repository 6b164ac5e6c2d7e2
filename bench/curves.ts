/** Figures that grow with a size, as a table with a column per size and the growth per tenfold size, and as curves on two logarithmic scales. */
import { headHeight, number, page, round, text } from './drawing.ts'
import type { Figure, Point } from './figure.ts'
import { formatRatio, readGrowthRatio } from './growth-ratios.ts'

type Placed = Figure & { point: Point }

const isPlaced = (figure: Figure): figure is Placed => figure.point !== undefined && !figure.absent

/** Formats a Markdown table; empty if no figure has a point on a curve. */
export const curvesTable = (figures: readonly Figure[]): string => {
  const placed = figures.filter(isPlaced)
  if (placed.length === 0) return ''
  const sizes = readSizes(placed)
  const rows = [...Map.groupBy(placed, ({ point }) => point.of)].map(([name, points]) => {
    const valueBySize = new Map(points.map(figure => [figure.point.at, figure.value]))
    const cells = sizes.map(size =>
      valueBySize.has(size) ? number(valueBySize.get(size) ?? Number.NaN) : '',
    )
    const ratio = readGrowthRatio(points)
    const growth = ratio ? `${formatRatio(ratio)} times` : ''
    return [[name, points[0]?.unit].filter(Boolean).join(', '), ...cells, growth]
  })
  return aligned([['what', ...sizes.map(number), 'per tenfold'], ...rows])
}

const aligned = (rows: readonly string[][]): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => (index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0))).join(' | ')} |`
  const [head = [], ...body] = rows
  const rule = widths.map((width, index) => (index === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [line(head), line(rule), ...body.map(line)].join('\n')
}

const readSizes = (placed: readonly Placed[]): number[] =>
  [...new Set(placed.map(({ point }) => point.at))].toSorted((one, other) => one - other)

const plotFrom = 70
const plotTo = 470
const plotTop = headHeight + 4
const plotHeight = 380
const labelHeight = 16

/**
 * Draws the curves of one unit by name, or returns undefined if there are none. `title` names the drawing, `along` the growing quantity.
 */
export const drawCurves = (
  figures: readonly Figure[],
  curves: readonly string[],
  { title, note, along }: { title: string; note: string; along: string },
): string | undefined => {
  const placed = figures.filter(isPlaced).filter(({ point, value }) => curves.includes(point.of) && value > 0)
  const [first] = placed
  if (!first) return undefined
  const values = placed.map(({ value }) => value)
  const sizes = readSizes(placed)
  const x = scale(Math.min(...sizes), Math.max(...sizes), plotFrom, plotTo)
  const [minimum, maximum] = [10 ** Math.floor(Math.log10(Math.min(...values))), Math.max(...values)]
  const y = scale(minimum, maximum, plotTop + plotHeight, plotTop)
  const grid = decades(minimum, maximum).map(value => {
    const lineY = round(y(value))
    return `<line class="grid" x1="${plotFrom}" y1="${lineY}" x2="${plotTo}" y2="${lineY}"/>${text({ x: plotFrom - 6, y: lineY + 4, class: 'unit' }, number(value))}`
  })
  const ticks = sizes.map(size =>
    text({ x: x(size), y: plotTop + plotHeight + 18, class: 'tick' }, number(size)),
  )
  const groups = [...Map.groupBy(placed, ({ point }) => point.of)]
  const ends = apart(groups.map(([, points]) => y(points.at(-1)?.value ?? minimum)))
  const lines = groups.map(([of, points], index) => {
    const path = points.map(({ point, value }) => `${round(x(point.at))} ${round(y(value))}`).join('L')
    const last = points.at(-1)
    const [endX, endY] = [round(x(last?.point.at ?? 1)), round(y(last?.value ?? minimum))]
    const label = `${of}: ${number(last?.value ?? Number.NaN)}`
    const dots = points.map(
      ({ point, value }) => `<circle class="ours" cx="${round(x(point.at))}" cy="${round(y(value))}" r="3"/>`,
    )
    return `<path class="spread" d="M${path}"/>${dots.join('')}<path class="grid" d="M${endX + 5} ${endY}L${plotTo + 22} ${round(ends[index] ?? endY)}"/>${text({ x: plotTo + 26, y: (ends[index] ?? endY) + 4, class: 'note' }, label)}`
  })
  const height = plotTop + plotHeight + 48
  const words = groups.map(
    ([of, points]) =>
      `${of}: ${points.map(({ point, value }) => `${number(value)} ${first.unit} at ${number(point.at)}`).join(', ')}.`,
  )
  return page(
    {
      title,
      note: `${first.unit}; ${note}; both scales logarithmic`,
      description: words.join(' '),
      height,
    },
    [...grid, ...ticks, text({ x: (plotFrom + plotTo) / 2, y: height - 10, class: 'tick' }, along), ...lines],
  )
}

/** Maps a value between two ends by its logarithm. */
const scale = (minimum: number, maximum: number, from: number, to: number) => (value: number) =>
  from +
  ((Math.log10(value) - Math.log10(minimum)) / (Math.log10(maximum) - Math.log10(minimum) || 1)) * (to - from)

const decades = (minimum: number, maximum: number): number[] =>
  Array.from(
    { length: Math.floor(Math.log10(maximum) - Math.log10(minimum)) + 1 },
    (_, place) => minimum * 10 ** place,
  )

/** Moves labels down as far as necessary, so that they do not overlap. */
const apart = (heights: readonly number[]): number[] => {
  const order = heights
    .map((_, index) => index)
    .toSorted((one, other) => (heights[one] ?? 0) - (heights[other] ?? 0))
  const moved = [...heights]
  let last = Number.NEGATIVE_INFINITY
  for (const index of order) {
    last = Math.max(heights[index] ?? 0, last + labelHeight)
    moved[index] = last
  }
  return moved
}
