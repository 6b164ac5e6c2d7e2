/** A map of points without a tile server: the outline of the land, and a circle for each city. It moves to the points of each search. */

import type { Point } from './city-search.ts'
import { drawMap, fitView, placePoint, type View, world } from './draw-map.ts'
import landUrl from './land.svg?url'

const moveMs = 350
/** How far from a point a pointer still means it, in pixels. */
const reachPx = 14

const easeOut = (part: number): number => 1 - (1 - part) ** 3
const mix = (a: number, b: number, part: number): number => a + (b - a) * part

export interface CityMap {
  show(points: readonly Point[]): void
  /** Marks the places of these results, such as those of the page. */
  mark(points: readonly Point[]): void
  /** Rings one place. Undefined: none. */
  ring(point: Point | undefined): void
}

/** Draws into the canvas. `choose` gets the point that a person clicks. */
export const createMap = (canvas: HTMLCanvasElement, choose: (point: Point) => void): CityMap => {
  let land = new Path2D()
  let points: readonly Point[] = []
  let marked: readonly Point[] = []
  let ringed: Point | undefined
  let view: View = world
  let frame = 0

  const draw = (): void => drawMap(canvas, { view, land, points, marked, ringed })

  const moveTo = (target: View): void => {
    cancelAnimationFrame(frame)
    const start = view
    const startedMs = performance.now()
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
    const step = (): void => {
      const part = isStill ? 1 : Math.min(1, (performance.now() - startedMs) / moveMs)
      const eased = easeOut(part)
      view = {
        x: mix(start.x, target.x, eased),
        y: mix(start.y, target.y, eased),
        width: mix(start.width, target.width, eased),
      }
      draw()
      if (part < 1) frame = requestAnimationFrame(step)
    }
    step()
  }

  const findAt = ({ offsetX, offsetY }: MouseEvent): Point | undefined => {
    let nearest: Point | undefined
    let distance = reachPx
    for (const point of points) {
      const { x, y } = placePoint(point, view, canvas.clientWidth)
      const gap = Math.hypot(x - offsetX, y - offsetY)
      if (gap < distance) [nearest, distance] = [point, gap]
    }
    return nearest
  }

  const ring = (point: Point | undefined): void => {
    if (point === ringed) return
    ringed = point
    draw()
  }
  canvas.addEventListener('pointermove', event => {
    const point = findAt(event)
    canvas.classList.toggle('over-point', point !== undefined)
    ring(point)
  })
  canvas.addEventListener('pointerleave', () => ring(undefined))
  canvas.addEventListener('click', event => {
    const point = findAt(event)
    if (point) choose(point)
  })
  new ResizeObserver(draw).observe(canvas)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw)
  void fetch(landUrl)
    .then(reply => reply.text())
    .then(svg => {
      land = new Path2D(/ d="([^"]*)"/.exec(svg)?.[1])
      draw()
    })
    // The points say where things are without it.
    .catch(() => {})

  return {
    show(next) {
      points = next
      ringed = undefined
      moveTo(fitView(next))
    },
    mark(next) {
      marked = next
      draw()
    },
    ring,
  }
}
