import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeLatin } from './latin-letters.ts'

test('Cyrillic and Greek names get Latin letters, and letters lose their accents', () => {
  const texts = ['Щедрая Зима', 'Київ', 'Ελλάδα', 'Ærø', 'Łódź', '日本']
  assert.deepEqual(texts.map(writeLatin), ['Shchedraya Zima', 'Kiiv', 'Ellada', 'Aero', 'Lodz', '日本'])
})
