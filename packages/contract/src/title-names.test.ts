import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isForeignTitle, isTextByLanguage } from './title-names.ts'

test('titles of many languages are known with and without accents, in any case', () => {
  for (const name of [
    'Título',
    'titulo',
    'Nombre',
    'Intitulé',
    'Denominação',
    'Tytuł',
    'Başlık',
    'Név',
    'Название',
  ])
    assert.ok(isForeignTitle(name), name)
  for (const name of ['type', 'tipo', 'Nombre de usuario', 'categoría'])
    assert.equal(isForeignTitle(name), false, name)
})

test('an object of languages has texts alone', () => {
  assert.ok(isTextByLanguage({ es: 'Faro', fr: null, 'pt-BR': 'Farol' }))
  for (const value of [{}, { es: null }, { es: 'Faro', weight: '2' }, { id: 7 }, ['es'], 'es', null])
    assert.equal(isTextByLanguage(value), false, JSON.stringify(value))
})
