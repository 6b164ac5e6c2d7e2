import assert from 'node:assert/strict'
import { test } from 'node:test'
import { detectLanguage } from './detect-language.ts'
import { shortTitles } from './test-short-titles.ts'

test('twenty titles without verbs have the language of their small words', () => {
  for (const [language, titles] of Object.entries(shortTitles)) {
    assert.equal(titles.length, 20)
    // Finnish says with endings what other languages say with small words.
    assert.equal(detectLanguage(titles).language, language === 'finnish' ? 'general' : language)
  }
})

test('many titles are as good as few', () => {
  for (const language of ['german', 'swedish', 'italian']) {
    const titles = Array.from({ length: 20 }, () => shortTitles[language] ?? []).flat()
    assert.equal(detectLanguage(titles).language, language)
  }
})

test('products have a language if few of them have small words of this language alone', () => {
  const products = [
    'Akku-Bohrhammer mit Koffer',
    'Kochtopf aus Edelstahl',
    'Wanderschuhe für Herren',
    'Schreibtischlampe schwarz',
    'Gartenschlauch 20 m',
    'Küchenwaage digital',
    'Wasserkocher aus Glas',
    'Stehlampe Holz',
    'Fahrradhelm für Kinder',
    'Werkzeugkoffer ohne Inhalt',
  ]
  assert.equal(detectLanguage(products).language, 'german')
  assert.equal(detectLanguage(Array.from({ length: 50 }, () => products).flat()).language, 'german')
})

test('names of people and places have no language', () => {
  const lists = {
    dutch:
      'Jan van Eyck|Piet de Jong|Rogier van der Weyden|Anna van den Berg|Hans de Vries|Den Haag|Els van Dijk',
    spanish:
      'Villa de la Reina|Castell de Sant Joan|El Prat de Llobregat|Los Angeles|Las Palmas|Vila del Mar',
    german: 'Max von der Heide|Frankfurt am Main|Anna Schmidt|Karl Müller|Eva Wagner|Jens Becker|Ute Schulz',
    english: 'Isle of Man|Stratford upon Avon|John Smith|Mary Jones|Peter Brown|New York|Salt Lake City',
  }
  for (const list of Object.values(lists)) {
    const names = list.split('|')
    assert.equal(detectLanguage(names).language, 'general')
    assert.equal(detectLanguage(Array.from({ length: 50 }, () => names).flat()).language, 'general')
  }
})
