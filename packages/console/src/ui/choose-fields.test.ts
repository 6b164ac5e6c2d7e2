import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseFields, rateFields } from './choose-fields.ts'

const products = [
  {
    Handle: 'red-mug',
    Vendor: 'Potters & Co',
    Policy: 'deny',
    Tracker: 'none',
    SKU: 'M-1',
    Grams: 300,
    Price: 12.5,
  },
  {
    Handle: 'blue-mug',
    Vendor: 'Clay Works',
    Policy: 'deny',
    Tracker: 'none',
    SKU: 'M-2',
    Grams: 310,
    Price: 14,
  },
].map((attributes, index) => ({
  attributes: { ...attributes, Weight: `${index + 1} kg`, Published: `2026-01-0${index + 1}` },
}))

test('prices, measures, dates and what people choose by are shown, and no identifiers', () => {
  const [first] = products
  const names = Object.keys(first?.attributes ?? {})
  assert.deepEqual(chooseFields(names, rateFields(products), []), [
    'Vendor',
    'Grams',
    'Price',
    'Weight',
    'Published',
  ])
})

test('an identifier is last, unless it was found', () => {
  const names = ['SKU', 'Vendor', 'Price']
  assert.deepEqual(chooseFields(names, rateFields(products), []), ['Vendor', 'Price', 'SKU'])
  assert.deepEqual(chooseFields(names, rateFields(products), ['SKU']), ['SKU', 'Vendor', 'Price'])
})

test('sums of money are shown, also with blanks and in objects', () => {
  const flats = ['Kraków', 'Gdańsk'].map((city, index) => ({
    attributes: {
      kod: `MK-${index}`,
      piętro: index,
      balkon: 'tak',
      winda: `nie ${index}`,
      opis: `Mieszkanie ${index}`,
      miasto: city,
      czynsz: { kwota: 2500 + index, waluta: 'zł' },
      kaucja: `${2 + index} 500 zł`,
    },
  }))
  const names = Object.keys(flats[0]?.attributes ?? {})
  const chosen = chooseFields(names, rateFields(flats), [])
  assert.ok(chosen.includes('czynsz') && chosen.includes('kaucja'), String(chosen))
})
