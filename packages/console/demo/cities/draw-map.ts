/** Draws a view of the map: the outline of the land, and a circle for each city. */
import type { Point } from './city-search.ts'

/** A rectangle in degrees: longitude to the right, latitude downwards from the north. */
export interface View {
  x: number
  y: number
  width: number
}

/** Width by height. The world ends in the Bering Strait, at 76° north and 56° south. */
const aspect = 2.7
export const world: View = { x: -168, y: -76, width: 356 }
/** The outline is too coarse for less. */
const widthMin = 30

/** Longitudes from the Bering Strait to the east, so that the map is cut where nobody lives. */
const unwrap = (longitude: number): number => (longitude < world.x ? longitude + 360 : longitude)

/** Returns the smallest view with all points and some room. */
export const fitView = (points: readonly Pick<Point, 'lat' | 'lon'>[]): View => {
  if (points.length === 0) return world
  const longitudes = points.map(({ lon }) => unwrap(lon))
  const latitudes = points.map(({ lat }) => -lat)
  const [west, east] = [Math.min(...longitudes), Math.max(...longitudes)]
  const [north, south] = [Math.min(...latitudes), Math.max(...latitudes)]
  const width = Math.max(widthMin, (east - west) * 1.2, (south - north) * 1.3 * aspect)
  if (width >= world.width * 0.7) return world
  return { x: (west + east - width) / 2, y: (north + south - width / aspect) / 2, width }
}

/** Returns where a place is on a canvas of this width, in pixels. */
export const placePoint = ({ lon, lat }: Pick<Point, 'lat' | 'lon'>, view: View, canvasWidth: number) => {
  const scale = canvasWidth / view.width
  return { x: (unwrap(lon) - view.x) * scale, y: (-lat - view.y) * scale }
}

export interface Drawing {
  view: View
  /** In tenths of a degree. */
  land: Path2D
  points: readonly Point[]
  marked: readonly Point[]
  ringed: Point | undefined
}

/** Draws everything, in the colors of the style sheet. */
export const drawMap = (canvas: HTMLCanvasElement, drawing: Drawing): void => {
  const context = canvas.getContext('2d')
  if (!context) throw new Error('the browser draws no canvas')
  const { view, land, points, marked, ringed } = drawing
  const width = canvas.clientWidth
  canvas.width = width * devicePixelRatio
  canvas.height = (width / aspect) * devicePixelRatio
  const style = getComputedStyle(canvas)
  const color = (name: string) => style.getPropertyValue(name)
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0)

  context.save()
  const scale = width / view.width / 10
  context.scale(scale, scale)
  context.translate(-view.x * 10, -view.y * 10)
  context.fillStyle = color('--land')
  context.fill(land)
  context.restore()

  const trace = (point: Point, radius: number): void => {
    const { x, y } = placePoint(point, view, width)
    context.beginPath()
    context.arc(x, y, radius, 0, 2 * Math.PI)
  }
  const zoom = Math.min(2, Math.sqrt(world.width / view.width))
  const radiusFor = ({ population }: Point) => (0.8 + Math.sqrt(population / 1_000_000)) * zoom
  context.fillStyle = color('--point')
  for (const point of points) {
    trace(point, radiusFor(point))
    context.fill()
  }
  context.lineWidth = 1.5
  context.strokeStyle = color('--card')
  context.fillStyle = color('--strong-point')
  for (const point of marked) {
    trace(point, Math.max(3.5, radiusFor(point)))
    context.fill()
    context.stroke()
  }
  if (!ringed) return
  context.lineWidth = 3
  context.strokeStyle = color('--text')
  trace(ringed, 9)
  context.stroke()
  drawName(context, ringed.name, placePoint(ringed, view, width), width)
}

/** Writes a name beside its place, on the side that has room. */
const drawName = (
  context: CanvasRenderingContext2D,
  name: string,
  { x, y }: { x: number; y: number },
  width: number,
): void => {
  const style = getComputedStyle(context.canvas)
  const isAtTheRight = x > width - 140
  context.font = `600 13px ${style.fontFamily}`
  context.textAlign = isAtTheRight ? 'right' : 'left'
  context.lineWidth = 4
  context.strokeStyle = style.getPropertyValue('--card')
  context.fillStyle = style.getPropertyValue('--text')
  const textX = isAtTheRight ? x - 14 : x + 14
  context.strokeText(name, textX, y + 4)
  context.fillText(name, textX, y + 4)
}
