/** Draws a chart with uPlot. Loaded after the page, because the library takes 20 KB. */
import { Box, useComputedColorScheme } from '@mantine/core'
import type { UsageSummary } from '@querent/contract/manage'
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatStart } from './formats.ts'
import { type ChartPoint, chartHeight, type Series } from './series.ts'

interface PlotProps {
  kind: 'bars' | 'lines'
  series: readonly Series<ChartPoint>[]
  points: readonly ChartPoint[]
  step: UsageSummary['step']
  /** Called with the index of the point under the pointer, or undefined. */
  onPoint: (index: number | undefined) => void
}

const axisColors = {
  light: { text: '#565c6b', grid: '#e9ecef' },
  dark: { text: '#adb3c2', grid: '#3b3f48' },
}
const font = '12px system-ui, sans-serif'

export const Plot = ({ kind, series, points, step, onPoint }: PlotProps) => {
  const box = useRef<HTMLDivElement>(null)
  const scheme = useComputedColorScheme('light')
  useEffect(() => {
    const target = box.current
    if (!target) return
    const plot = new UPlot(
      makeOptions({ kind, series, step, onPoint, points }, scheme, target.clientWidth),
      makeData(kind, series, points),
      target,
    )
    const observer = new ResizeObserver(() =>
      plot.setSize({ width: target.clientWidth, height: chartHeight }),
    )
    observer.observe(target)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [kind, series, points, step, scheme, onPoint])
  return <Box ref={box} mih={chartHeight} w="100%" />
}

/** Later bars of a stack are drawn first, as high as all bars below them together. */
const drawingOrder = <T,>(kind: PlotProps['kind'], series: readonly T[]): T[] =>
  kind === 'bars' ? series.toReversed() : [...series]

const makeData = (
  kind: PlotProps['kind'],
  series: readonly Series<ChartPoint>[],
  points: readonly ChartPoint[],
): UPlot.AlignedData => {
  const seconds = points.map(({ start }) => Date.parse(start) / 1000)
  const values = series.map((_, index) =>
    points.map(point =>
      kind === 'lines'
        ? (series[index]?.value(point) ?? null)
        : series.slice(0, index + 1).reduce((sum, { value }) => sum + (value(point) ?? 0), 0),
    ),
  )
  return [seconds, ...drawingOrder(kind, values)]
}

/** A line over each hour or day, joined to those next to it. A curve through points would show a single one as a lonely dot. */
const makeSteps =
  (halfStepSeconds: number): UPlot.Series.PathBuilder =>
  (plot, series, first, last) => {
    const stroke = new Path2D()
    const [times, ...lines] = plot.data
    const values = lines[series - 1] ?? []
    let isJoined = false
    for (let index = first; index <= last; index++) {
      const value = values[index] ?? null
      const time = times[index]
      if (value === null || time === undefined) {
        isJoined = false
        continue
      }
      const y = plot.valToPos(value, 'y', true)
      const start = plot.valToPos(time - halfStepSeconds, 'x', true)
      if (isJoined) stroke.lineTo(start, y)
      else stroke.moveTo(start, y)
      stroke.lineTo(plot.valToPos(time + halfStepSeconds, 'x', true), y)
      isJoined = true
    }
    return { stroke }
  }

const makeOptions = (
  { kind, series, step, points, onPoint }: PlotProps,
  scheme: 'light' | 'dark',
  width: number,
): UPlot.Options => {
  const { text, grid } = axisColors[scheme]
  const axis = { stroke: text, font, grid: { stroke: grid, width: 1 }, ticks: { show: false } }
  const bars = UPlot.paths.bars?.({ size: [0.7, 40], radius: 0.2 })
  const steps = makeSteps(step === 'hour' ? 1800 : 43_200)
  const [first] = series
  const halfStepSeconds = step === 'hour' ? 1800 : 43_200
  const times = points.map(({ start }) => Date.parse(start) / 1000)
  return {
    width,
    height: chartHeight,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: kind === 'lines' } },
    scales: {
      // Room for the first and the last bar.
      x: { range: (_, min, max) => [min - halfStepSeconds, max + halfStepSeconds] },
      y: { range: (_, _min, max) => [0, max > 0 ? max * 1.1 : 1] },
    },
    axes: [
      {
        ...axis,
        // One line of labels.
        size: 28,
        grid: { show: false },
        // Ticks at whole days in UTC would not be at those of the reader's time zone.
        splits: () => times,
        filter: (plot, splits) => {
          const every = Math.ceil((splits.length * 56) / Math.max(plot.width - 60, 100))
          return splits.map((split, index) => ((splits.length - 1 - index) % every === 0 ? split : null))
        },
        values: (_, splits) =>
          splits.map(seconds =>
            // The types do not say that `filter` leaves null.
            seconds === null ? '' : formatStart(step, new Date(seconds * 1000).toISOString()),
          ),
      },
      {
        ...axis,
        size: 64,
        values: (_, splits) =>
          // There are no half queries.
          splits.map(value =>
            kind === 'bars' && !Number.isInteger(value) ? '' : (first?.format(value) ?? ''),
          ),
      },
    ],
    series: [
      {},
      ...drawingOrder(kind, series).map(({ label, color }) => ({
        label,
        stroke: color[scheme],
        width: kind === 'lines' ? 2 : 0,
        ...(kind === 'lines' && { paths: steps }),
        ...(kind === 'bars' && { fill: color[scheme], ...(bars && { paths: bars }) }),
        points: { show: false, size: 5, fill: color[scheme] },
      })),
    ],
    hooks: { setCursor: [({ cursor: { idx } }) => onPoint(idx ?? undefined)] },
  }
}
