import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Proposal, proposedCollection } from '@querent/contract/proposal'
import { writeProposal } from '@querent/contract/proposal-text'
import { propose } from './propose.ts'
import { readSample } from './read-sample.ts'

const proposeFor = async (documents: readonly object[], name = 'places'): Promise<Proposal> => {
  const sample = await readSample(Buffer.from(JSON.stringify(documents)), 'json', false)
  return typeof sample === 'string' ? assert.fail(sample) : propose(name, sample)
}
const proposeField = async (attribute: string, pairs: readonly (readonly number[])[]) => {
  const proposal = await proposeFor(pairs.map((pair, index) => ({ id: `c${index}`, [attribute]: pair })))
  const field = proposal.fields.find(({ name }) => name === attribute) ?? assert.fail()
  return { field, definition: proposedCollection(proposal).fields?.[attribute] }
}

const latitudeFirst = [
  [54, -2],
  [12.5, -69.97],
  [-14.3, -170.7],
]
const ambiguous = [
  [54, -2],
  [52, 5],
  [48, 2],
]
const turn = (pairs: readonly (readonly number[])[]) => pairs.map(([one = 0, next = 0]) => [next, one])

test('a list of two numbers is a place, in the order that its name or its values tell', async () => {
  const latlng = await proposeField('latlng', ambiguous)
  assert.deepEqual(latlng.definition, { type: 'geo', pairs: 'lat-lon' })
  assert.deepEqual((await proposeField('latLng', latitudeFirst)).definition, {
    type: 'geo',
    pairs: 'lat-lon',
  })
  assert.deepEqual((await proposeField('latlng', turn(latitudeFirst))).definition, { type: 'geo' })
  assert.deepEqual((await proposeField('location', latitudeFirst)).definition, {
    type: 'geo',
    pairs: 'lat-lon',
  })
  assert.deepEqual((await proposeField('location', turn(latitudeFirst))).definition, { type: 'geo' })
  const coordinates = await proposeField('coordinates', ambiguous)
  assert.deepEqual(coordinates.definition, { type: 'geo' })
  // Nothing tells the order: a person is asked.
  assert.equal(coordinates.field.fits.find(({ type }) => type === 'geo')?.swappedPairs, 'lat-lon')
})

test('two numbers of another name are numbers that may become a place', async () => {
  const { field } = await proposeField('xy', latitudeFirst)
  assert.equal(field.type, 'number')
  assert.deepEqual(
    field.fits.find(({ type }) => type === 'geo'),
    { type: 'geo', pairs: 'lat-lon', plain: 4, fitting: 6 },
  )
})

test('the name of a collection has Latin letters, or says what it is', async () => {
  const names = await Promise.all(
    ['книги 📚', 'Βιβλία', '図書', 'Größe'].map(
      async name => (await proposeFor([{ id: 1 }], name)).collection,
    ),
  )
  assert.deepEqual(names, ['knigi', 'Vivlia', 'collection', 'Grosse'])
})

const point = (index: number) => ({ type: 'Point', coordinates: [-9.1 + index / 100, 38.7] })
const line = {
  type: 'LineString',
  coordinates: [
    [-9.1, 38.7],
    [-9.2, 38.8],
  ],
}
const proposeGeometries = async (geometries: readonly unknown[]) => {
  const features = geometries.map((geometry, index) => ({
    type: 'Feature',
    id: `n${index}`,
    properties: { name: `Lugar ${index}` },
    geometry,
  }))
  const proposal = await proposeFor({ type: 'FeatureCollection', features } as never)
  return { proposal, text: writeProposal('w', proposal, 'lugares.geojson') }
}

test('a geometry is a place if most are points, and the proposal says that the others are rejected', async () => {
  const points = Array.from({ length: 9 }, (_, index) => point(index))
  const { proposal, text } = await proposeGeometries([...points, line])
  assert.deepEqual(proposedCollection(proposal).fields?.geometry, { type: 'geo' })
  const field = proposal.fields.find(({ name }) => name === 'geometry')
  assert.equal(field?.fits.find(({ type }) => type === 'geo')?.fitting, 9)
  assert.match(text, /geometry: \{ type: geo \} # .*; 9 of 10 are points: an import rejects/)
  assert.doesNotMatch((await proposeGeometries(points)).text, /rejects/)
})

test('a geometry with few points is one field that is not searched, and the proposal says why', async () => {
  const { proposal, text } = await proposeGeometries([point(1), line, { ...line, type: 'MultiPoint' }])
  assert.deepEqual(
    proposal.fields.filter(({ name }) => name.startsWith('geometry')).map(({ name, use }) => [name, use]),
    [['geometry', false]],
  )
  assert.match(text, /not searched: .*geometry \(1 of 3 are points\)/)
})

test('the type of a geometry is no field, whatever form the geometry has', async () => {
  const area = { type: 'Polygon', coordinates: [line.coordinates] }
  const forms = {
    arcs: [
      { type: 'LineString', arcs: [1] },
      { type: 'MultiLineString', arcs: [[1], [2]] },
    ],
    empty: [{}, line, area],
    features: [line, area].map(geometry => ({ type: 'Feature', properties: { width: 3 }, geometry })),
    lowercase: [line, area].map(({ type, coordinates }) => ({ type: type.toLowerCase(), coordinates })),
  }
  for (const [form, shapes] of Object.entries(forms)) {
    const documents = Array.from({ length: 30 }, (_, index) => ({
      id: `r${index}`,
      name: `Road ${index}`,
      shape: shapes[index % shapes.length],
    }))
    const names = (await proposeFor(documents)).fields.map(({ name }) => name)
    assert.deepEqual(
      names.filter(name => name.endsWith('type')),
      [],
      form,
    )
  }
  // Words of people keep their field.
  const cards = ['Point', 'Line', 'Curve'].map((type, index) => ({ id: `c${index}`, card: { type } }))
  assert.ok((await proposeFor(cards)).fields.some(({ name }) => name === 'card.type'))
})

test('geometries of WKT are places if most are points', async () => {
  const shape = ['POINT(4.8 52.3)', 'POINT (4.9 52.4)', 'POINT(5 52)', 'LINESTRING(4 52, 5 53)']
  const proposal = await proposeFor(shape.map((text, index) => ({ id: `c${index}`, shape: text })))
  assert.deepEqual(proposedCollection(proposal).fields?.shape, { type: 'geo' })
  const rows = shape.map((text, index) => `c${index};"${text}"\n`).join('')
  const sample = await readSample(Buffer.from(`id;shape\n${rows}`), 'csv', false)
  if (typeof sample === 'string') return assert.fail(sample)
  assert.match(writeProposal('w', propose('shapes', sample), 'a.csv'), /; 3 of 4 are points/)
})
