import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCutOff, placeLabels, pointBox } from './place-labels.ts'

test('a name that the edge would cut off is on the left of its point', () => {
  const label = { text: 'Köln', x: 330, y: 100 }
  assert.ok(isCutOff(label, 15, 350))
  assert.ok(!isCutOff(label, 15, 400))
  const neighbor = { text: 'Bonn', x: 290, y: 104 }
  const { shown } = placeLabels([{ ...label, isLeft: true }, neighbor], { gap: 15, max: 5 })
  assert.equal(shown.length, 1)
})

test('names that would cover an earlier one or a point are left out', () => {
  const labels = [
    { text: 'Antwerpen', x: 100, y: 100 },
    { text: 'Gent', x: 120, y: 104 },
    { text: 'Utrecht', x: 100, y: 160 },
    { text: 'Leiden', x: 300, y: 100 },
  ]
  const { shown } = placeLabels(labels, { covered: [pointBox({ x: 310, y: 100 }, 12)], max: 5 })
  assert.deepEqual(
    shown.map(({ text }) => text),
    ['Antwerpen', 'Utrecht'],
  )
  assert.equal(placeLabels(labels, { max: 1 }).shown.length, 1)
})
