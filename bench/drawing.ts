/** Draws results as bars: an SVG that works in light and dark, with a screen reader, and in a text editor. */
import type { Bar, Figure } from './figure.ts'

type DrawnFigure = Figure & { bar: Bar }

export const pageWidth = 760
export const margin = 16

const labelWidth = 120
const valueWidth = 110
const barsFrom = margin + labelWidth
const barsTo = pageWidth - margin - valueWidth
export const headHeight = 58
const groupHeadHeight = 30
const rowHeight = 22
const barHeight = 14
const axisHeight = 28
/** Uses a logarithmic scale if the smallest value would be hardly visible on a linear one. */
const evenRatioMax = 100
const evenTicks = 4

/** Draws all figures that have a bar, or returns undefined if none has. `title` names the drawing, and `note` says how it was measured. */
export const draw = (
  figures: readonly Figure[],
  { title, note }: { title: string; note: string },
): string | undefined => {
  const drawnFigures = figures.filter((figure): figure is DrawnFigure => figure.bar !== undefined)
  const groups = Map.groupBy(drawnFigures, ({ bar }) => bar.of)
  const values = drawnFigures
    .filter(({ absent }) => !absent)
    .flatMap(({ value, spread }) => [value, ...spread])
  if (values.length === 0) return undefined
  const scale = makeScale(Math.min(...values), Math.max(...values))
  let y = headHeight
  const parts: string[] = []
  for (const [name, bars] of groups) {
    parts.push(text({ x: margin, y: y + 20, class: 'group' }, name))
    y += groupHeadHeight
    for (const figure of bars) {
      parts.push(row(figure, y, scale))
      y += rowHeight
    }
  }
  const height = y + axisHeight
  const axis = scale.ticks.map(tick => {
    const x = round(scale.at(tick))
    return `<line class="grid" x1="${x}" y1="${headHeight}" x2="${x}" y2="${y + 4}"/>${text({ x, y: y + 19, class: 'tick' }, number(tick))}`
  })
  return page(
    { title, note: scale.isEven ? note : `${note}; logarithmic`, description: inWords(groups), height },
    [...axis, ...parts],
  )
}

interface Page {
  title: string
  /** Shown below the title. */
  note: string
  /** The whole content as text, for screen readers. */
  description: string
  height: number
}

/** Assembles an SVG whose head is `headHeight` high. `parts` are its elements. */
export const page = ({ title, note, description, height }: Page, parts: readonly string[]): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${pageWidth}" height="${height}" viewBox="0 0 ${pageWidth} ${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="desc">${escaped(description)}</desc>`,
    `<style>${style}</style>`,
    `<rect class="ground" width="${pageWidth}" height="${height}" rx="6"/>`,
    text({ x: margin, y: 26, class: 'title' }, title),
    text({ x: margin, y: 46, class: 'note' }, note),
    ...parts,
    '</svg>',
    '',
  ].join('\n')

interface Scale {
  isEven: boolean
  /** Returns the position of a value in the drawing. */
  at(value: number): number
  ticks: number[]
}

const makeScale = (minimum: number, maximum: number): Scale => {
  const length = barsTo - barsFrom
  if (minimum <= 0 || maximum / minimum <= evenRatioMax) {
    const step = roundStep(maximum / evenTicks)
    const ticks = Array.from({ length: Math.floor(maximum / step) + 1 }, (_, place) => place * step)
    return { isEven: true, at: value => barsFrom + (Math.max(value, 0) / maximum) * length, ticks }
  }
  // One decade more than necessary, so that the smallest value has a length too.
  const minExponent = Math.floor(Math.log10(minimum / 2))
  const maxExponent = Math.log10(maximum)
  const ticks = Array.from(
    { length: Math.floor(maxExponent) - minExponent + 1 },
    (_, place) => 10 ** (minExponent + place),
  )
  return {
    isEven: false,
    at: value => barsFrom + ((Math.log10(value) - minExponent) / (maxExponent - minExponent)) * length,
    ticks,
  }
}

/** Returns 1, 2 or 5 times a power of ten, at least the argument. */
const roundStep = (minimum: number): number => {
  const power = 10 ** Math.floor(Math.log10(minimum))
  return power * ([1, 2, 5].find(times => times * power >= minimum) ?? 10)
}

const row = (figure: DrawnFigure, y: number, scale: Scale): string => {
  const { bar, value, spread, absent } = figure
  const middle = y + rowHeight / 2
  const label = text({ x: barsFrom - 8, y: middle + 4, class: 'label' }, bar.label)
  if (absent)
    return label + text({ x: barsFrom + 6, y: middle + 4, class: 'note' }, `not measured: ${absent}`)
  const [minimum, maximum] = spread.map(end => round(scale.at(end)))
  const end = round(scale.at(value))
  const top = middle - barHeight / 2
  return [
    label,
    `<rect class="${bar.is}" x="${barsFrom}" y="${top}" width="${round(end - barsFrom)}" height="${barHeight}"/>`,
    `<path class="spread" d="M${minimum} ${middle}H${maximum}M${minimum} ${middle - 4}v8M${maximum} ${middle - 4}v8"/>`,
    text(
      { x: Math.max(end, maximum ?? end) + 6, y: middle + 4, class: 'value' },
      `${number(value)} ${figure.unit}`,
    ),
  ].join('')
}

const inWords = (groups: ReadonlyMap<string, readonly DrawnFigure[]>): string =>
  [...groups]
    .map(
      ([name, bars]) =>
        `${name}: ${bars.map(({ bar, value, unit, absent }) => `${bar.label} ${absent ? `not measured (${absent})` : `${number(value)} ${unit}`}`).join(', ')}.`,
    )
    .join(' ')

const style = `
text{font:13px system-ui,sans-serif;fill:#1f2328}
.title{font-size:16px;font-weight:600}.group{font-weight:600}.note,.tick{font-size:12px;fill:#59636e}
.value,.note{paint-order:stroke;stroke:#fff;stroke-width:4px}.label{text-anchor:end}.unit{font-size:12px;text-anchor:end}.tick{text-anchor:middle}.ground{fill:#fff}.grid{stroke:#d1d9e0}
.ours{fill:#0969da}.peer{fill:#8c959f}.limit{fill:none;stroke:#59636e;stroke-dasharray:4 2}
.spread{fill:none;stroke:#1f2328}
@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.note,.tick{fill:#9198a1}.value,.note{stroke:#0d1117}.ground{fill:#0d1117}.grid{stroke:#3d444d}
.ours{fill:#4493f8}.peer{fill:#656c76}.limit{stroke:#9198a1}.spread{stroke:#f0f6fc}}
`

export const text = (
  { x, y, class: name }: { x: number; y: number; class: string },
  content: string,
): string => `<text class="${name}" x="${round(x)}" y="${y}">${escaped(content)}</text>`

export const number = (value: number): string => Number(value.toPrecision(3)).toLocaleString('en-US')

export const round = (value: number): number => Math.round(10 * value) / 10

export const escaped = (content: string): string =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
