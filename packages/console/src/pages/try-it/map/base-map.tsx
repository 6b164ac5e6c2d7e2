/** Coasts, grid and scale, drawn without any other server. */
import { language } from '#i18n/translate.ts'
import type { Place } from '#pages/try-it/read-places.ts'
import { coastline } from './coastline.ts'
import {
  chooseGridStep,
  chooseScaleBar,
  listMultiples,
  project,
  type Size,
  toPixel,
  unprojectLatitude,
  type View,
} from './projection.ts'

/** The points of a ring. Longitudes go on beyond 180 where it crosses the date line. */
const readRing = (ring: string): Place[] => {
  const numbers = (ring.match(/-?\d+/g) ?? []).map(Number)
  let lon = 0
  let lat = 0
  const places = Array.from({ length: numbers.length / 2 }, (_, index) => {
    const step = (numbers[index * 2] ?? 0) / 10
    // The first step is a position.
    lon += index > 0 && Math.abs(step) > 180 ? step - Math.sign(step) * 360 : step
    lat += (numbers[index * 2 + 1] ?? 0) / 10
    return { lat, lon }
  })
  const [first] = places
  // Antarctica goes around the pole.
  const isAround = first !== undefined && Math.abs(lon - first.lon) > 180
  return isAround ? [...places, { lat: -90, lon }, { lat: -90, lon: first.lon }] : places
}

const writePath = (ring: string): string =>
  `M${readRing(ring)
    .map(place => project(place))
    .map(({ x, y }) => `${x.toFixed(2)} ${y.toFixed(2)}`)
    .join('L')}Z`

/** In degrees of the projection. */
const coastPath = coastline.map(writePath).join('')
/** The world three times, so that a map across the date line is whole. */
const worldOffsets = [-360, 0, 360]

const degreeFormat = new Intl.NumberFormat(language, { maximumFractionDigits: 3 })
const meterFormat = new Intl.NumberFormat(language, { style: 'unit', unit: 'meter' })
const kilometerFormat = new Intl.NumberFormat(language, { style: 'unit', unit: 'kilometer' })

export const BaseMap = ({ view, size }: { view: View; size: Size }) => {
  const { width, height } = size
  const origin = toPixel({ x: 0, y: 0 }, view, size)
  const bar = chooseScaleBar(view)
  return (
    <svg width={width} height={height} aria-hidden="true">
      <g transform={`translate(${origin.x} ${origin.y}) scale(${view.scale})`}>
        {worldOffsets.map(offset => (
          <path
            key={offset}
            className="map-land"
            transform={`translate(${offset} 0)`}
            d={coastPath}
            vectorEffect="non-scaling-stroke"
          />
        ))}
      </g>
      <Grid view={view} size={size} />
      <g transform={`translate(12 ${height - 14})`} className="map-scale">
        <path d={`M0 -6V0H${bar.pixels}V-6`} />
        <text x={bar.pixels / 2} y={-8} textAnchor="middle">
          {bar.meters >= 1000 ? kilometerFormat.format(bar.meters / 1000) : meterFormat.format(bar.meters)}
        </text>
      </g>
    </svg>
  )
}

const Grid = ({ view, size }: { view: View; size: Size }) => {
  const { width, height } = size
  const step = chooseGridStep(view)
  const halfWidth = width / 2 / view.scale
  const halfHeight = height / 2 / view.scale
  const meridians = listMultiples(view.x - halfWidth, view.x + halfWidth, step)
  const parallels = listMultiples(
    unprojectLatitude(view.y + halfHeight),
    unprojectLatitude(view.y - halfHeight),
    step,
  )
  return (
    <g className="map-grid">
      {meridians.map(lon => {
        const { x } = toPixel({ x: lon, y: 0 }, view, size)
        return (
          <g key={`x${lon}`}>
            <path d={`M${x} 0V${height}`} />
            <text x={x + 3} y={12}>
              {degreeFormat.format(lon)}°
            </text>
          </g>
        )
      })}
      {parallels.map(lat => {
        const { y } = toPixel(project({ lat, lon: 0 }), view, size)
        return (
          <g key={`y${lat}`}>
            <path d={`M0 ${y}H${width}`} />
            <text x={width - 4} y={y - 3} textAnchor="end">
              {degreeFormat.format(lat)}°
            </text>
          </g>
        )
      })}
    </g>
  )
}
