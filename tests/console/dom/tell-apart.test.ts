/** Documents with the same heading show values that differ. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
// Before the source, which needs a document.
import { window } from '#console/test-dom'

// The language of the page decides how values read.
const { tellApart } = await import('#console/ui/tell-apart')

after(() => window.happyDOM.abort())

const market = (id: string, day: string, town: string) => ({
  id,
  attributes: { name: 'Christmas market', day, town, note: 'Free', text: 'long '.repeat(20) + id },
})

test('documents with the same heading are told apart by fields that differ and are short', () => {
  const differences = tellApart([
    market('1', '2026-12-05', 'Ghent'),
    market('2', '2026-12-12', 'Ghent'),
    market('3', '2026-12-12', 'Bruges'),
    { id: '4', attributes: { name: 'Concert', day: '2026-12-12', town: 'Ghent' } },
  ])
  const texts = ['1', '2', '3'].map(id => differences.get(id) ?? '')
  assert.equal(new Set(texts).size, 3)
  for (const text of texts) assert.match(text, /(Ghent|Bruges).*Dec 2026|Dec 2026.*(Ghent|Bruges)/)
  assert.equal(differences.has('4'), false)
})

test('one field is enough if it differs for each, and documents that differ in nothing have no text', () => {
  const differences = tellApart([market('1', '2026-12-05', 'Ghent'), market('2', '2026-12-12', 'Ghent')])
  assert.deepEqual([...differences.values()], ['5 Dec 2026', '12 Dec 2026'])
  const equalDocuments = ['1', '2'].map(id => ({ id, attributes: { name: 'Pump' } }))
  assert.equal(tellApart(equalDocuments).size, 0)
})
