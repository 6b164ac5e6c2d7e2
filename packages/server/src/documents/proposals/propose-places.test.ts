import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Proposal, proposedCollection } from '@querent/contract/proposal'
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
