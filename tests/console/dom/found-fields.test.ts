/** The fields of a result in which something was found. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
// Before the source, which needs a document.
import { window } from '#console/test-dom'

// Its components load after the hooks of the document.
const { hasMatch } = await import('#console/pages/try-it/cards/find-snippet')

after(() => window.happyDOM.abort())

test('a keyword that a copy searches was found by the highlights of the copy', () => {
  const highlights = {
    'Kategorie-text': ['Outdoor &gt; <mark>Schuhe</mark>'],
    'maker.name': ['<mark>Ada</mark>'],
  }
  assert.ok(hasMatch('Kategorie', 'Outdoor > Schuhe', highlights))
  assert.ok(hasMatch('Kategorie', ['Garten', 'Outdoor > Schuhe'], highlights))
  assert.ok(hasMatch('Kategorie-text', undefined, highlights))
  assert.ok(hasMatch('maker', { name: 'Ada' }, highlights))
  assert.ok(!hasMatch('Kategorie', 'Garten', highlights))
  assert.ok(!hasMatch('Marke', 'Outdoor > Schuhe', highlights))
})
