/** Mercator, in degrees of longitude. North is up, so y grows to the south. */
import type { Place } from '#pages/try-it/read-places.ts'

/** Poles are infinitely far away. */
const latitudeMax = 85

export interface Point {
  x: number
  y: number
}

/** The center of the map, and pixels for each degree of longitude. */
export interface View extends Point {
  scale: number
}

export interface Size {
  width: number
  height: number
}

const radians = Math.PI / 180

export const project = ({ lat, lon }: Place): Point => {
  const clamped = Math.max(-latitudeMax, Math.min(latitudeMax, lat))
  return { x: lon, y: -Math.log(Math.tan(Math.PI / 4 + (clamped * radians) / 2)) / radians }
}

export const unprojectLatitude = (y: number): number =>
  (2 * Math.atan(Math.exp(-y * radians)) - Math.PI / 2) / radians

/** The pixel of a point, from the top left corner. */
export const toPixel = ({ x, y }: Point, view: View, { width, height }: Size): Point => ({
  x: width / 2 + (x - view.x) * view.scale,
  y: height / 2 + (y - view.y) * view.scale,
})

/** About 10 m on 100 pixels. */
export const scaleMax = 1_000_000
/** A single place is shown with its region. */
const fittedScaleMax = 400
const marginPixels = 40

/** Returns the view that shows all points. */
export const fitView = (points: readonly Point[], { width, height }: Size): View => {
  const xs = points.map(({ x }) => x)
  const ys = points.map(({ y }) => y)
  const [left, right] = [Math.min(...xs), Math.max(...xs)]
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)]
  const scale = Math.min(
    fittedScaleMax,
    (width - 2 * marginPixels) / Math.max(right - left, 1e-9),
    (height - 2 * marginPixels) / Math.max(bottom - top, 1e-9),
  )
  return { x: (left + right) / 2, y: (top + bottom) / 2, scale }
}

/** Zooms around the center. */
export const zoom = (view: View, factor: number, { width }: Size): View => ({
  ...view,
  scale: Math.max(width / 720, Math.min(scaleMax, view.scale * factor)),
})

const gridSteps = [60, 30, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001]
const gridPixelsMin = 80

/** Degrees between two lines of the grid. */
export const chooseGridStep = ({ scale }: View): number =>
  gridSteps.findLast(step => step * scale >= gridPixelsMin) ?? gridSteps[0] ?? 60

/** Multiples of a step between two numbers. */
export const listMultiples = (from: number, to: number, step: number): number[] => {
  const first = Math.ceil(from / step)
  const count = Math.max(0, Math.floor(to / step) - first + 1)
  return Array.from({ length: Math.min(count, 60) }, (_, index) => (first + index) * step)
}

const metersPerDegree = 111_320
const barPixelsMax = 120

/** Length of the bar that shows the scale at the center of the map: a round number of meters, and its pixels. */
export const chooseScaleBar = (view: View): { meters: number; pixels: number } => {
  const metersPerPixel = (metersPerDegree * Math.cos(unprojectLatitude(view.y) * radians)) / view.scale
  const metersMax = metersPerPixel * barPixelsMax
  const power = 10 ** Math.floor(Math.log10(metersMax))
  const meters = power * ([5, 2, 1].find(factor => factor * power <= metersMax) ?? 1)
  return { meters, pixels: meters / metersPerPixel }
}

export interface Cluster<Item> extends Point {
  items: Item[]
}

const clusterPixels = 22

/** Joins items whose points would cover each other. */
export const makeClusters = <Item extends { pixel: Point }>(items: readonly Item[]): Cluster<Item>[] => {
  const clusters: Cluster<Item>[] = []
  for (const item of items) {
    const { x, y } = item.pixel
    const near = clusters.find(cluster => Math.hypot(cluster.x - x, cluster.y - y) < clusterPixels)
    if (near) near.items.push(item)
    else clusters.push({ x, y, items: [item] })
  }
  return clusters
}
