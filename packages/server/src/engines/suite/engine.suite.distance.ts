import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import type { PlanNode, ScoredCircles } from '#engines/engine'
import { chooseRuns } from '#test-runs'
import { type Bench, deadlineMs, makePlan, matchAll, putDocument, withCode } from './engine.suite.plans.ts'

interface Point {
  lat: number
  lon: number
}

/** Tests circles and the order by distance, compared with measuring every place. */
export function distanceSuite({ engine, generationWith, ids, scores }: Bench): void {
  it('finds places within a circle, including arrays, the poles and the antimeridian', async () => {
    const generation = await generationWith({
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
      svalbard: { place: { lat: 78.2232, lon: 15.6267 } },
      nowhere: { title: 'nowhere' },
    })
    const searchCircle = (lat: number, lon: number, meters: number) =>
      ids(
        generation,
        makePlan([
          { kind: 'distance', field: 'place', alternatives: [{ score: 1, circles: [{ lat, lon, meters }] }] },
        ]),
      )
    assert.deepEqual(await searchCircle(52.3676, 4.9041, 0), ['amsterdam'])
    assert.deepEqual(await searchCircle(52.3676, 4.9041, 40_000), ['amsterdam', 'tour'])
    assert.deepEqual(await searchCircle(-15, 180, 1_000_000), ['fiji', 'samoa'])
    assert.deepEqual(await searchCircle(-15, -180, 1_000_000), ['fiji', 'samoa'])
    assert.deepEqual(await searchCircle(90, 0, 1_400_000), ['alert', 'svalbard'])
    assert.deepEqual(await searchCircle(0, 0, 20_100_000), [
      'alert',
      'amsterdam',
      'fiji',
      'samoa',
      'svalbard',
      'tour',
    ])
    assert.deepEqual(await searchCircle(-45, 100, 1000), [])
  })

  it('multiplies by the highest score among the circles that contain a place', async () => {
    const generation = await generationWith({
      near: { place: { lat: 0, lon: 0.01 } },
      far: { place: { lat: 0, lon: 0.1 } },
      both: {
        place: [
          { lat: 0, lon: 0.1 },
          { lat: 0, lon: 0 },
        ],
      },
    })
    const circle = (meters: number) => [{ lat: 0, lon: 0, meters }]
    const rings: PlanNode = {
      kind: 'distance',
      field: 'place',
      alternatives: [
        { score: 0.5, circles: circle(50_000) },
        { score: 2, circles: circle(5_000) },
      ],
    }
    assert.deepEqual(await scores(generation, makePlan([rings])), { near: 2, both: 2, far: 0.5 })
    assert.deepEqual(await scores(generation, { ...makePlan([matchAll]), restrictions: [rings] }), {
      near: 1,
      both: 1,
      far: 1,
    })
  })

  it('sorts by distance from a point in both directions, with missing values last', async () => {
    const generation = await generationWith({
      a: { place: { lat: 10, lon: 0 } },
      b: {},
      c: {
        place: [
          { lat: 1, lon: 0 },
          { lat: 50, lon: 0 },
        ],
      },
      d: { place: { lat: 10, lon: 0 } },
    })
    // Write it into a segment of its own.
    await engine().write(generation, [putDocument('e', { place: { lat: 5, lon: 0 } })])
    await engine().refresh(generation)
    const sorted = (order: 'ascending' | 'descending') =>
      ids(generation, {
        ...makePlan([matchAll]),
        order: [{ by: 'distance', field: 'place', lat: 0, lon: 0, order }],
      })
    assert.deepEqual(await sorted('ascending'), ['c', 'e', 'a', 'd', 'b'])
    assert.deepEqual(await sorted('descending'), ['c', 'a', 'd', 'e', 'b'])
  })

  it('rejects distances of other fields and other conditions on places', async () => {
    const generation = await generationWith({})
    const assertUnsupported = (plan: object) =>
      assert.rejects(
        engine().search(generation, { ...makePlan([matchAll]), ...plan }, deadlineMs),
        withCode('unsupported'),
      )
    await assertUnsupported({ nodes: [{ kind: 'distance', field: 'year', alternatives: [] }] })
    await assertUnsupported({
      nodes: [{ kind: 'filter', field: 'place', alternatives: [{ score: 1, values: ['x'] }] }],
    })
    await assertUnsupported({ nodes: [{ kind: 'range', field: 'place', from: 1 }] })
    await assertUnsupported({ order: [{ by: 'field', field: 'place', order: 'ascending' }] })
    await assertUnsupported({ order: [{ by: 'distance', field: 'tag', lat: 0, lon: 0, order: 'ascending' }] })
  })

  it('agrees with measuring every place', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(point, { maxLength: 3 }), { minLength: 1, maxLength: 40 }),
        fc.array(fc.tuple(rings, point), { minLength: 1, maxLength: 8 }),
        async (places, queries) => {
          const shelf = Object.fromEntries(places.map((place, index) => [`d${index}`, { place }]))
          const generation = await generationWith(shelf)
          for (const [alternatives, origin] of queries) {
            // Rounding decides on which side of the edge the place is.
            if (places.flat().some(place => isOnRim(place, alternatives))) continue
            const node: PlanNode = { kind: 'distance', field: 'place', alternatives }
            const expected = Object.entries(shelf).flatMap(([id, { place }]) => {
              const score = bestScore(place, alternatives)
              return score === undefined ? [] : [[id, score]]
            })
            assert.deepEqual(await scores(generation, makePlan([node])), Object.fromEntries(expected))
            const { hits } = await engine().search(
              generation,
              {
                ...makePlan([matchAll]),
                order: [{ by: 'distance', field: 'place', ...origin, order: 'ascending' }],
              },
              deadlineMs,
            )
            const distances = hits.map(({ entity }) => nearest(JSON.parse(entity).attributes.place, origin))
            for (const [index, distance] of distances.entries())
              assert.ok(index === 0 || distance >= (distances[index - 1] ?? 0) - roundingMeters)
          }
          await engine().drop(generation)
        },
      ),
      { numRuns: chooseRuns(13, 50), endOnFailure: true },
    ))
}

const lat = fc.oneof(fc.constantFrom(-90, 0, 90, 89.9999), fc.double({ min: -90, max: 90, noNaN: true }))
const lon = fc.oneof(fc.constantFrom(-180, 0, 180, 179.9999), fc.double({ min: -180, max: 180, noNaN: true }))
const point: fc.Arbitrary<Point> = fc.record({ lat, lon })
const meters = fc.oneof(fc.double({ min: 0, max: 2.1e7, noNaN: true }), fc.constantFrom(1000, 100_000))
const rings: fc.Arbitrary<ScoredCircles[]> = fc.array(
  fc.record({
    score: fc.constantFrom(0.25, 0.5, 1, 2),
    circles: fc.array(fc.record({ lat, lon, meters }), { minLength: 1, maxLength: 2 }),
  }),
  { minLength: 1, maxLength: 3 },
)

/** Angles near a half turn are the least precise. */
const roundingMeters = 1

const isOnRim = (place: Point, alternatives: ScoredCircles[]): boolean =>
  alternatives
    .flatMap(({ circles }) => circles)
    .some(circle => Math.abs(metersBetween(circle, place) - circle.meters) <= roundingMeters)

const bestScore = (places: Point[], alternatives: ScoredCircles[]): number | undefined => {
  const holding = alternatives.filter(({ circles }) =>
    circles.some(circle => places.some(place => metersBetween(circle, place) <= circle.meters)),
  )
  return holding.length > 0 ? Math.max(...holding.map(({ score }) => score)) : undefined
}

const nearest = (places: Point[], origin: Point): number =>
  Math.min(Number.POSITIVE_INFINITY, ...places.map(place => metersBetween(origin, place)))

/** Measures by the angle between two vectors instead of the haversine formula, so that an error in one shows. */
const metersBetween = (placeA: Point, placeB: Point): number => {
  const [a, b] = [vector(placeA), vector(placeB)]
  const cross = Math.hypot(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
  return 6_371_008.8 * Math.atan2(cross, a[0] * b[0] + a[1] * b[1] + a[2] * b[2])
}

const vector = ({ lat, lon }: Point): [number, number, number] => {
  const [latitude, longitude] = [(lat * Math.PI) / 180, (lon * Math.PI) / 180]
  return [
    Math.cos(latitude) * Math.cos(longitude),
    Math.cos(latitude) * Math.sin(longitude),
    Math.sin(latitude),
  ]
}
