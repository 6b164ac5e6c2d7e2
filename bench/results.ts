/** Prints, stores and compares results. */
import { readFile, writeFile } from 'node:fs/promises'
import { cpus, loadavg, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { curvesTable, drawCurves } from './curves.ts'
import { draw } from './drawing.ts'
import { type Figure, isReached } from './figure.ts'
import { drawings } from './growth/drawn.ts'
import { rounds } from './http/rounds.ts'
import { randomFrom } from './random.ts'

export interface Results {
  /** ISO 8601. */
  date: string
  machine: string
  /** Duration of a fixed piece of work on the machine. Figures of two machines are compared as multiples of it. */
  yardstickMs: number
  figures: Figure[]
}

/** A figure has fallen if it is worse by more than this. */
const fallMax = 0.25
const yardstickRounds = 5
const yardstickNumbers = 1_000_000

const resultsPath = (part: string, type = 'json') => join(import.meta.dirname, 'results', `${part}.${type}`)
const notesPath = (page: string) => join(import.meta.dirname, 'notes', page)

export const describeMachine = (): string => {
  const [processor] = cpus()
  const memory = Math.round(totalmem() / 1024 ** 3)
  const load = loadavg()[0]?.toFixed(2)
  return `${cpus().length} × ${processor?.model.trim()}, ${memory} GB, ${type()} ${release()}, Node.js ${process.version}; load before ${load}`
}

/** Milliseconds to sort a million numbers: the best of several runs. */
export const yardstick = (): number => {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < yardstickRounds; round++) {
    const numbers = Float64Array.from({ length: yardstickNumbers }, randomFrom(1))
    const start = performance.now()
    numbers.sort()
    best = Math.min(best, performance.now() - start)
  }
  return best
}

/** Formats a Markdown table with aligned columns. */
export const table = (figures: readonly Figure[]): string => {
  const head = ['what', 'here', 'of the rounds', 'goal', 'reached', 'others']
  const rows = figures.map(figure => {
    const { name, unit, value, spread, better, goal, peers, absent } = figure
    const limit = goal === undefined ? '' : `${better === 'lower' ? '≤' : '≥'} ${formatValue(goal)} ${unit}`
    const goalCell = goal === undefined || absent ? '' : isReached(figure) ? 'yes' : 'no'
    return [
      name,
      absent ? 'not measured' : `${formatValue(value)} ${unit}`,
      absent ?? spread.map(formatValue).join(' – '),
      limit,
      goalCell,
      peers ?? '',
    ].map(cell => cell.trim())
  })
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map(row => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map(width => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

const formatValue = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)))

/** Returns a line for each figure that is worse than before by more than a quarter, or missing. With `partial`, figures may be missing. */
export const fallen = (now: Results, before: Results, { partial = false } = {}): string[] =>
  before.figures.flatMap(old => {
    // Changes of other programs are not our concern.
    if (old.absent || (old.bar && old.bar.is !== 'ours')) return []
    const figure = now.figures.find(({ name }) => name === old.name)
    if (partial && figure === undefined) return []
    if (figure === undefined || figure.absent)
      return [`${old.name}: not measured${figure?.absent ? `: ${figure.absent}` : ''}`]
    const worse = worseBy(ratio(figure, now.yardstickMs), ratio(old, before.yardstickMs), old.better)
    return worse > fallMax
      ? [
          `${old.name}: ${formatValue(figure.value)} ${old.unit} is worse by ${Math.round(100 * worse)} % than ${formatValue(old.value)} of ${before.date}`,
        ]
      : []
  })

const worseBy = (now: number, before: number, better: Figure['better']): number =>
  better === 'lower' ? now / before - 1 : 1 - now / before

/** Removes the influence of the machine's speed. */
const ratio = ({ value, unit }: Figure, yardstickMs: number): number => {
  if (/^(ms|µs)\b/.test(unit)) return value / yardstickMs
  return unit === 'documents/s' || unit === 'a second' ? value * yardstickMs : value
}

export const readResults = async (part: string): Promise<Results> =>
  JSON.parse(await readFile(resultsPath(part), 'utf8'))

/** The titles of the drawings, by part. */
const titles: Record<string, string> = {
  query: 'Queries over HTTP',
  peers: 'Queries over HTTP, beside others',
  tokens: 'Tokens by client credentials',
  dpop: 'Queries by type of token',
}

/** Writes results to bench/results, with drawings for figures with bars, and their table to bench/notes/ between the marks of its part. */
export const saveResults = async (part: string, results: Results): Promise<void> => {
  await writeFile(resultsPath(part), `${JSON.stringify(results, null, 2)}\n`)
  const title = titles[part] ?? part
  const drawing = draw(results.figures, {
    title,
    note: `one core for each server, another for the load; median of ${rounds} rounds, the line from the least to the most; ${results.date}`,
  })
  if (drawing) await writeFile(resultsPath(part, 'svg'), drawing)
  const page = part.startsWith('growth') || part === 'nodes' ? 'scale.md' : 'performance.md'
  const document = await readFile(notesPath(page), 'utf8')
  const marked = new RegExp(`(<!-- ${part} -->\\n)[\\s\\S]*?(<!-- end -->)`)
  if (!marked.test(document)) throw new Error(`bench/notes/${page} has no place for ${part}`)
  const { date, machine, figures } = results
  const image = drawing ? `![${title}](../results/${part}.svg)\n\n` : ''
  const images = await drawAllCurves(part, results)
  const grown = curvesTable(figures)
  const plainFigures = figures.filter(({ point }) => point === undefined)
  const tables = [grown, plainFigures.length > 0 ? table(plainFigures) : '']
    .filter(entry => entry !== '')
    .join('\n\n')
  const text = `\n${date}, ${machine}\n\n${image}${images}${tables}\n\n`
  await writeFile(
    notesPath(page),
    document.replace(marked, (_, start, end) => `${start}${text}${end}`),
  )
}

/** Writes the drawings next to the results, and returns the Markdown that shows them. */
const drawAllCurves = async (part: string, { figures, date }: Results): Promise<string> => {
  const { title = part, along = '', curves = {} } = drawings[part] ?? {}
  let content = ''
  for (const [name, names] of Object.entries(curves)) {
    const drawing = drawCurves(figures, names, { title, along, note: date })
    if (!drawing) continue
    await writeFile(resultsPath(`${part}-${name}`, 'svg'), drawing)
    content += `![${title}](../results/${part}-${name}.svg)\n\n`
  }
  return content
}
