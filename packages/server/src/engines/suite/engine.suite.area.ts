import assert from 'node:assert/strict'
import { it } from 'node:test'
import { makePolygon } from '@querent/contract/area-value'
import fc from 'fast-check'
import type { Area, Box, PlanNode } from '#engines/engine'
import { chooseRuns } from '#test-runs'
import { type Bench, deadlineMs, makePlan, matchAll, putDocument, withCode } from './engine.suite.plans.ts'

interface Point {
  lat: number
  lon: number
}

/** Tests boxes and polygons, compared with counting how often a great circle to the center crosses the edges. */
export function areaSuite({ engine, generationWith, ids }: Bench): void {
  const findIn = (generation: string, area: Area) =>
    ids(generation, makePlan([{ kind: 'area', field: 'place', area }]))
  const polygonArea = (...degrees: number[]): Area => {
    const reading = makePolygon(degrees, '')
    assert.ok('polygon' in reading)
    return reading
  }
  const world = {
    amsterdam: { place: { lat: 52.3676, lon: 4.9041 } },
    fiji: { place: { lat: -17.7134, lon: 178.065 } },
    samoa: { place: { lat: -13.759, lon: -172.1046 } },
    tour: {
      place: [
        { lat: 48.8566, lon: 2.3522 },
        { lat: 52.0907, lon: 5.1214 },
      ],
    },
    alert: { place: { lat: 82.5018, lon: -62.3481 } },
    south: { place: { lat: -90, lon: 17 } },
    edge: { place: { lat: 0, lon: -180 } },
    nowhere: { title: 'nowhere' },
  }

  it('finds places in a box, its edges included, over the antimeridian and at the poles', async () => {
    const generation = await generationWith(world)
    const findInBox = (south: number, west: number, north: number, east: number) =>
      findIn(generation, { box: { south, west, north, east } })
    assert.deepEqual(await findInBox(52, 4, 53, 6), ['amsterdam', 'tour'])
    assert.deepEqual(await findInBox(52.3676, 4.9041, 52.3676, 4.9041), ['amsterdam'])
    assert.deepEqual(await findInBox(-20, 170, -10, -170), ['fiji', 'samoa'])
    assert.deepEqual(await findInBox(-20, -170, -10, 170), [])
    assert.deepEqual(await findInBox(-1, 170, 1, 180), ['edge'])
    assert.deepEqual(await findInBox(-1, -180, 1, -170), ['edge'])
    // All longitudes, and the margin of a search passes -180.
    assert.deepEqual(await findInBox(-1, -180 + 1e-13, 1, -180), ['edge'])
    assert.deepEqual(await findInBox(-90, -10, -80, -5), ['south'])
    assert.deepEqual(await findInBox(-90, -180, 90, 180), [
      'alert',
      'amsterdam',
      'edge',
      'fiji',
      'samoa',
      'south',
      'tour',
    ])
  })

  it('finds places in a polygon over the antimeridian, around a pole, and within great circles', async () => {
    const generation = await generationWith({ ...world, arc: { place: { lat: 57, lon: 0 } } })
    assert.deepEqual(await findIn(generation, polygonArea(-25, 170, -25, -165, 0, -165, 0, 170)), [
      'edge',
      'fiji',
      'samoa',
    ])
    assert.deepEqual(await findIn(generation, polygonArea(70, 0, 70, 90, 70, 180, 70, -90)), ['alert'])
    assert.deepEqual(await findIn(generation, polygonArea(-60, 0, -60, -120, -60, 120)), ['south'])
    // The edge from 50,-40 to 50,40 passes north of 57,0.
    assert.deepEqual(await findIn(generation, polygonArea(50, -40, 50, 40, 49, 40, 49, -40)), ['arc'])
    assert.deepEqual(await findIn(generation, polygonArea(50, -40, 50, 40, 45, 0)), [
      'amsterdam',
      'arc',
      'tour',
    ])
    // A quarter of the northern half, with a corner at the pole.
    assert.deepEqual(await findIn(generation, polygonArea(90, 0, 0, -90, 0, 0)), ['alert', 'arc'])
    // Three quarters of the northern half.
    assert.deepEqual(await findIn(generation, polygonArea(90, 0, 0, 0, 0, 90, 0, 180, 0, -90)), [
      'amsterdam',
      'arc',
      'edge',
      'tour',
    ])
  })

  it('rejects areas of other fields', async () => {
    const generation = await generationWith({})
    const box: Box = { south: 0, west: 0, north: 1, east: 1 }
    const node: PlanNode = { kind: 'area', field: 'year', area: { box } }
    await assert.rejects(engine().search(generation, makePlan([node]), deadlineMs), withCode('unsupported'))
  })

  it('measures equal distances to the longitudes 180 and -180', async () => {
    const generation = await generationWith({ b: { place: { lat: 10, lon: 180 } } })
    await engine().write(generation, [
      putDocument('a', { place: { lat: 10, lon: -180 } }),
      putDocument('c', { place: { lat: 10, lon: -180 } }),
    ])
    await engine().refresh(generation)
    for (const lon of [7, -133.7, 180, -180]) {
      const order = { by: 'distance', field: 'place', lat: 3, lon, order: 'ascending' } as const
      const plan = { ...makePlan([matchAll]), order: [order] }
      const { hits } = await engine().search(generation, plan, deadlineMs)
      assert.deepEqual(
        hits.map(({ entity }) => JSON.parse(entity).id),
        ['a', 'b', 'c'],
      )
    }
  })

  it('agrees with great circles from the center of a polygon, and with comparing degrees', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(point, { maxLength: 3 }), { minLength: 1, maxLength: 40 }),
        fc.array(star, { minLength: 1, maxLength: 6 }),
        fc.array(boxes, { minLength: 1, maxLength: 4 }),
        fc.array(fc.tuple(fc.nat(), fc.double({ min: 0, max: 2, noNaN: true })), { maxLength: 60 }),
        async (places, stars, someBoxes, nearby) => {
          // Places in the direction of a corner, inside and outside.
          const near = nearby.map(([pick, share]) => {
            const { center, rays } = stars[pick % stars.length] ?? { center: { lat: 0, lon: 0 }, rays: [] }
            const [angle, radius] = rays[pick % rays.length] ?? [0, 0]
            return [destination(center, angle + 0.01, Math.min(3.14, radius * share))]
          })
          const shelf = Object.fromEntries(
            [...places, ...near].map((place, index) => [`d${index}`, { place }]),
          )
          const generation = await generationWith(shelf)
          const expect = (isInside: (place: Point) => boolean) =>
            Object.entries(shelf).flatMap(([id, { place }]) => (place.some(isInside) ? [id] : []))
          for (const { center, rays } of stars) {
            const corners = rays.map(([angle, radius]) => destination(center, angle, radius))
            const reading = makePolygon(
              corners.flatMap(({ lat, lon }) => [lat, lon]),
              '',
            )
            // Rounding may let neighboring corners coincide, or the center be on an edge.
            if (!('polygon' in reading)) continue
            if (corners.some((corner, at) => isNearEdge(center, corner, nextItem(corners, at)))) continue
            // An opposite place has no direction, and the way to another place may lead through a corner.
            const isUncertain = (place: Point) =>
              dot(vector(place), vector(center)) < -0.999999 ||
              corners.some(
                (corner, at) =>
                  isNearEdge(place, corner, nextItem(corners, at)) || isNearEdge(corner, center, place),
              )
            const uncertain = expect(isUncertain)
            const isInside = (place: Point) =>
              corners.filter((corner, at) => crosses(center, place, corner, nextItem(corners, at))).length %
                2 ===
              0
            const certain = (found: string[]) => found.filter(id => !uncertain.includes(id)).sort()
            assert.deepEqual(
              certain(await findIn(generation, reading)),
              certain(expect(isInside)),
              JSON.stringify({ center, corners }),
            )
          }
          for (const box of someBoxes)
            assert.deepEqual(
              (await findIn(generation, { box })).sort(),
              expect(place => isInBox(place, box)).sort(),
              JSON.stringify(box),
            )
          await engine().drop(generation)
        },
      ),
      { numRuns: chooseRuns(13, 50), endOnFailure: true },
    ))
}

const nextItem = <T>(list: readonly T[], index: number): T => list[(index + 1) % list.length] as T

const lat = fc.oneof(fc.constantFrom(-90, 0, 90, 89.9999), fc.double({ min: -90, max: 90, noNaN: true }))
const lon = fc.oneof(fc.constantFrom(-180, 0, 180, 179.9999), fc.double({ min: -180, max: 180, noNaN: true }))
const point: fc.Arbitrary<Point> = fc.record({ lat, lon })
const boxes: fc.Arbitrary<Box> = fc
  .record({ south: lat, west: lon, north: lat, east: lon })
  .map(box => ({ ...box, south: Math.min(box.south, box.north), north: Math.max(box.south, box.north) }))

/** A polygon whose corners are in ascending directions from a center, so that no edges cross: an angle and a distance in radians. */
const star = fc.record({
  center: point,
  rays: fc
    .record({
      turn: fc.double({ min: 0, max: 6.28, noNaN: true }),
      steps: fc.array(
        fc.tuple(fc.double({ min: 0.3, max: 1, noNaN: true }), fc.double({ min: 1e-4, max: 1, noNaN: true })),
        { minLength: 3, maxLength: 30 },
      ),
      scale: fc.constantFrom(1e-4, 0.01, 0.5, 1),
    })
    .map(({ turn, steps, scale }) => {
      // No two neighboring corners are half a turn apart, so the center is inside.
      const sum = steps.reduce((total, [step]) => total + step, 0)
      let angle = turn
      return steps.map(([step, radius]): [number, number] => {
        angle += (step / sum) * 2 * Math.PI
        return [angle, radius * scale]
      })
    })
    .filter(rays =>
      rays.every(([angle], at) => angle - (rays.at(at - 1)?.[0] ?? 0) + (at === 0 ? 2 * Math.PI : 0) < 3),
    ),
})

const isInBox = ({ lat: north, lon: east }: Point, box: Box): boolean => {
  const isBetween = (longitude: number) =>
    box.west <= box.east
      ? box.west <= longitude && longitude <= box.east
      : longitude >= box.west || longitude <= box.east
  const isSameMeridian = Math.abs(east) === 180 && isBetween(-east)
  return (
    box.south <= north && north <= box.north && (Math.abs(north) === 90 || isBetween(east) || isSameMeridian)
  )
}

type Vector = [number, number, number]

const vector = ({ lat: latitude, lon: longitude }: Point): Vector => {
  const [up, round] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180]
  return [Math.cos(up) * Math.cos(round), Math.cos(up) * Math.sin(round), Math.sin(up)]
}
const dot = (a: Vector, b: Vector) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
]

/** The place at an angle from north and a distance from a center, by the law of cosines for spheres. */
const destination = (center: Point, angle: number, distance: number): Point => {
  const [up, round] = [(center.lat * Math.PI) / 180, (center.lon * Math.PI) / 180]
  const sine = Math.sin(up) * Math.cos(distance) + Math.cos(up) * Math.sin(distance) * Math.cos(angle)
  const east = Math.atan2(
    Math.sin(angle) * Math.sin(distance) * Math.cos(up),
    Math.cos(distance) - Math.sin(up) * sine,
  )
  const degrees = ((round + east) * 180) / Math.PI
  return {
    lat: (Math.asin(Math.max(-1, Math.min(1, sine))) * 180) / Math.PI,
    lon: ((((degrees + 180) % 360) + 360) % 360) - 180,
  }
}

/** Whether the arcs ab and cd cross: each separates the ends of the other, and they are not on opposite sides of the sphere. */
const crosses = (a: Point, b: Point, c: Point, d: Point): boolean => {
  const [va, vb, vc, vd] = [vector(a), vector(b), vector(c), vector(d)]
  const line = cross(cross(va, vb), cross(vc, vd))
  const isOn = (from: Vector, to: Vector, sign: number) => {
    const place: Vector = [line[0] * sign, line[1] * sign, line[2] * sign]
    const normal = cross(from, to)
    return dot(cross(normal, from), place) > 0 && dot(cross(normal, to), place) < 0
  }
  return [1, -1].some(sign => isOn(va, vb, sign) && isOn(vc, vd, sign))
}

const isNearEdge = (place: Point, from: Point, to: Point): boolean => {
  const normal = cross(vector(from), vector(to))
  return Math.abs(dot(normal, vector(place))) <= 1e-8 * Math.hypot(...normal)
}
