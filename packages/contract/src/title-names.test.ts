import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAmount, isForeignTitle, isLikelyForeignTitle, isTextByLanguage } from './title-names.ts'

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

test('a name that begins with a title is most likely one', () => {
  for (const name of [
    'Intitulé du poste',
    'nazwa_produktu',
    'Título de la oferta',
    'Titolo',
    'Poste',
    'Benämning',
  ])
    assert.ok(isLikelyForeignTitle(name), name)
  for (const name of ['Code du poste', 'Type de poste', 'nominal', 'Poste de travail'])
    assert.equal(isLikelyForeignTitle(name), false, name)
})

test('sums of money, their ranges and numbers are amounts', () => {
  for (const text of [
    '32 000 € - 32 500 €',
    'de 30 000 à 35 000 €',
    '2 500 zł',
    'EUR 12',
    '$5',
    '12345',
    '38 k€',
    '1.200',
  ])
    assert.ok(isAmount(text), text)
  for (const text of ['Boulanger', 'Room 12', 'R2-D2', 'Euro', '3 krone', '€'])
    assert.equal(isAmount(text), false, text)
})

test('an object of languages has texts alone', () => {
  assert.ok(isTextByLanguage({ es: 'Faro', fr: null, 'pt-BR': 'Farol' }))
  for (const value of [{}, { es: null }, { es: 'Faro', weight: '2' }, { id: 7 }, ['es'], 'es', null])
    assert.equal(isTextByLanguage(value), false, JSON.stringify(value))
})
