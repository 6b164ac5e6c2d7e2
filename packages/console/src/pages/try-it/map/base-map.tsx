/** Land, borders, cities, grid and scale, drawn without any other server. */

import { useQuery } from '@tanstack/react-query'
import { language } from '#i18n/translate.ts'
import { isCutOff, type Label, labelGap, placeLabels, pointBox } from './place-labels.ts'
import {
  chooseGridStep,
  chooseScaleBar,
  listMultiples,
  type Point,
  project,
  type Size,
  toPixel,
  unprojectLatitude,
  type View,
} from './projection.ts'
import { loadWorld, type Outline, type World } from './read-world.ts'

/** The world three times, so that a map across the date line is whole. */
const worldOffsets = [-360, 0, 360]
const citiesMax = 30
/** Radius of the points of documents. */
const pointRadius = 12
const titleGap = pointRadius + 3
const titlesMax = 15
const titleCharactersMax = 28

const degreeFormat = new Intl.NumberFormat(language, { maximumFractionDigits: 3 })
const meterFormat = new Intl.NumberFormat(language, { style: 'unit', unit: 'meter' })
const kilometerFormat = new Intl.NumberFormat(language, { style: 'unit', unit: 'kilometer' })

interface BaseMapProps {
  view: View
  size: Size
  /** The points on it, with the title of a document that stands alone. */
  points: readonly (Point & { title: string | undefined })[]
}

export const BaseMap = ({ view, size, points }: BaseMapProps) => {
  const { width, height } = size
  const { data: world } = useQuery({ queryKey: ['world'], queryFn: loadWorld, staleTime: Infinity })
  const bar = chooseScaleBar(view)
  const cities = world ? [...listCities(world, view, size)] : []
  // Several documents at a place have its name.
  const titles = points.flatMap(({ x, y, title }) => {
    const text = title === undefined ? findNear(cities, { x, y }) : shorten(title)
    if (text === undefined || x < 0 || x > width || y < 0 || y > height) return []
    return [{ x, y, text, isLeft: isCutOff({ x, y, text }, titleGap, width) }]
  })
  const titleLabels = placeLabels(titles, {
    covered: listControls(size),
    gap: titleGap,
    max: titles.length > titlesMax ? 0 : titlesMax,
  })
  const covered = [...titleLabels.boxes, ...points.map(point => pointBox(point, pointRadius))]
  return (
    <svg width={width} height={height} aria-hidden="true">
      {world && <Lines world={world} view={view} size={size} />}
      <Grid view={view} size={size} />
      {world && (
        <Names
          className="map-city"
          radius={2}
          labels={placeLabels(cities.filter(isWhole(size)), { covered, max: citiesMax }).shown}
        />
      )}
      <Names className="map-title" radius={0} gap={titleGap} labels={titleLabels.shown} />
      <g transform={`translate(12 ${height - 14})`} className="map-scale">
        <path d={`M0 -6V0H${bar.pixels}V-6`} />
        <text x={bar.pixels / 2} y={-8} textAnchor="middle">
          {bar.meters >= 1000 ? kilometerFormat.format(bar.meters / 1000) : meterFormat.format(bar.meters)}
        </text>
      </g>
    </svg>
  )
}

/** Returns the name of the largest city that a point of documents covers. */
const findNear = (cities: readonly Label[], { x, y }: Point): string | undefined =>
  cities.find(city => Math.hypot(city.x - x, city.y - y) < pointRadius)?.text

/** Returns where the buttons, the scale and the sources are. */
const listControls = ({ width, height }: Size) => [
  { left: 0, top: 0, right: 225, bottom: 40 },
  { left: 0, top: height - 40, right: 140, bottom: height },
  { left: width - 190, top: height - 24, right: width, bottom: height },
]

/** The edge of the map would cut off other names. */
const isWhole =
  ({ width, height }: Size) =>
  (city: Label): boolean =>
    city.y > 20 && city.y < height - 10 && !isCutOff(city, labelGap, width)

const shorten = (title: string): string =>
  title.length > titleCharactersMax ? `${title.slice(0, titleCharactersMax - 1)}…` : title

/** Yields the cities within the view, the largest first. */
function* listCities({ cities }: World, view: View, size: Size): Generator<Label> {
  for (const { name, lat, lon } of cities)
    for (const offset of worldOffsets) {
      const { x, y } = toPixel(project({ lat, lon: lon + offset }), view, size)
      if (x > 0 && y > 0 && x < size.width && y < size.height) yield { text: name, x, y }
    }
}

interface NamesProps {
  className: string
  /** Radius of the dot at the place. */
  radius: number
  gap?: number
  labels: readonly Label[]
}

const Names = ({ className, radius, gap = labelGap, labels }: NamesProps) => (
  <g className={className}>
    {labels.map(({ text, x, y, isLeft }) => (
      <g key={`${text} ${x} ${y}`}>
        {radius > 0 && <circle cx={x} cy={y} r={radius} />}
        <text x={isLeft ? x - gap : x + gap} y={y + 4} textAnchor={isLeft ? 'end' : 'start'}>
          {text}
        </text>
      </g>
    ))}
  </g>
)

interface LinesProps {
  world: World
  view: View
  size: Size
}

/** The lines within the view: an outline of everything would be drawn slowly. */
const Lines = ({ world: { land, borders }, view, size: { width, height } }: LinesProps) => {
  const origin = toPixel({ x: 0, y: 0 }, view, { width, height })
  const [halfWidth, halfHeight] = [width / 2 / view.scale, height / 2 / view.scale]
  const joinVisible = (outlines: readonly Outline[], offset: number): string =>
    outlines
      .filter(
        ({ topLeft, bottomRight }) =>
          bottomRight.x + offset >= view.x - halfWidth &&
          topLeft.x + offset <= view.x + halfWidth &&
          bottomRight.y >= view.y - halfHeight &&
          topLeft.y <= view.y + halfHeight,
      )
      .map(({ path }) => path)
      .join('')
  return (
    <g transform={`translate(${origin.x} ${origin.y}) scale(${view.scale})`}>
      {worldOffsets.map(offset => (
        <g key={offset} transform={`translate(${offset} 0)`}>
          <path
            className="map-land"
            fillRule="evenodd"
            d={joinVisible(land, offset)}
            vectorEffect="non-scaling-stroke"
          />
          <path className="map-border" d={joinVisible(borders, offset)} vectorEffect="non-scaling-stroke" />
        </g>
      ))}
    </g>
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
