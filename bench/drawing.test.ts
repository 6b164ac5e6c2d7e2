import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import test from 'node:test'
import { draw } from './drawing.ts'
import type { Bar, Figure } from './figure.ts'

const figure = (label: string, is: Bar['is'], value: number, extra: Partial<Figure> = {}): Figure => ({
  name: label,
  unit: 'a second',
  better: 'higher',
  value,
  spread: [value, value],
  bar: { of: 'tokens', label, is },
  ...extra,
})
const details = { title: 'Tokens <by> credentials & more', note: 'median' }

/** Reads a drawing as XML: its texts, and the class and length of each bar. Fails on malformed XML. */
const read = (svg: string | undefined): { texts: string[]; bars: [string, number][] } =>
  JSON.parse(
    execFileSync(
      'python3',
      [
        '-c',
        `import json, sys, xml.etree.ElementTree as tree
root = tree.fromstring(sys.stdin.read())
texts = [node.text for node in root.iter() if node.text and not node.tag.endswith('style')]
bars = [(node.get('class'), float(node.get('width'))) for node in root.iter('{http://www.w3.org/2000/svg}rect') if node.get('class') != 'ground']
print(json.dumps({'texts': texts, 'bars': bars}))`,
      ],
      { input: svg ?? '', encoding: 'utf8' },
    ),
  )

test('bars are proportional to their values and have labels', () => {
  const { texts, bars } = read(
    draw(
      [figure('Querent', 'ours', 3000), figure('bare', 'limit', 4000), figure('other', 'peer', 1000)],
      details,
    ),
  )
  const [ours, limit, peer] = bars
  assert.deepEqual(
    bars.map(([is]) => is),
    ['ours', 'limit', 'peer'],
  )
  assert.ok(Math.abs((ours?.[1] ?? 0) / (peer?.[1] ?? 1) - 3) < 0.01)
  assert.ok(Math.abs((limit?.[1] ?? 0) / (peer?.[1] ?? 1) - 4) < 0.01)
  for (const text of ['Tokens <by> credentials & more', 'Querent', 'other', '3,000 a second', 'tokens'])
    assert.ok(texts.includes(text), text)
})

test('a screen reader gets every number', () => {
  const { texts } = read(draw([figure('Querent', 'ours', 3000), figure('other', 'peer', 12.5)], details))
  assert.ok(texts.includes('tokens: Querent 3,000 a second, other 12.5 a second.'))
})

test('if a value is too small to be visible, the scale is logarithmic, and the drawing says so', () => {
  const { texts, bars } = read(
    draw(
      [10, 100, 100_000].map(value => figure(String(value), 'peer', value)),
      details,
    ),
  )
  assert.ok(texts.includes('median; logarithmic'))
  const [ten = 0, hundred = 0, maximum = 0] = bars.map(([, length]) => length)
  assert.ok(ten > 0)
  assert.ok(Math.abs((maximum - hundred) / (hundred - ten) - 3) < 0.01)
})

test('a value that could not be measured is listed with the reason, without a bar', () => {
  const absent = figure('Hydra', 'peer', Number.NaN, { absent: '`go` is not there' })
  const { texts, bars } = read(draw([figure('Querent', 'ours', 3000), absent], details))
  assert.equal(bars.length, 1)
  assert.ok(texts.includes('not measured: `go` is not there'))
})

test('figures without bars make no drawing', () => {
  const { bar: _, ...plain } = figure('Querent', 'ours', 3000)
  assert.equal(draw([plain], details), undefined)
})
