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

/** Names of dishes and ingredients, which have no small words. */
const shortLists = {
  english:
    'Lemon chicken|Tomato soup|Beef stew|Apple pie|Garlic bread|Roasted carrots|Chicken curry|Mushroom risotto|brown sugar|black pepper|chopped parsley',
  german:
    'Kartoffelsuppe|Zwiebel, gehackt|Mehl|Salz, Pfeffer|frische Petersilie|Käse|rote Tomaten|Knoblauch|Zucker|Milch|Sahne|Gemüse',
  dutch:
    'Tomatensoep|ui, gesneden|bloem|zout, peper|verse peterselie|kaas|zwarte peper|knoflook|suiker|melk|slagroom|groenten',
  french:
    'Poulet rôti|Soupe tomate|Gâteau chocolat|Salade verte|sel, poivre|farine|sucre|beurre|lait|persil|oignons|fromage',
  spanish:
    'Pollo frito|Sopa fría|Ensalada verde|sal, pimienta|harina|azúcar|mantequilla|leche|perejil|cebolla|queso|huevos',
  italian:
    'Pollo arrosto|Zuppa|Insalata verde|sale, pepe|farina|zucchero|burro|latte|prezzemolo|cipolla|formaggio|uova|funghi',
}

test('names of dishes and ingredients have a language by their frequent words', () => {
  for (const [language, list] of Object.entries(shortLists)) {
    const names = list.split('|')
    assert.equal(detectLanguage(names).language, language)
    assert.equal(detectLanguage(Array.from({ length: 50 }, () => names).flat()).language, language)
  }
})

test('names of fields decide nothing alone, and help where few words are frequent', () => {
  const headers = ['title', 'ingredients', 'price', 'notes']
  const codes = ['Zorblax QN', 'Vintara', 'Kolimo Prex', 'Wendol']
  assert.equal(detectLanguage(codes, headers).language, 'general')
  const mixed = [
    ...Array.from({ length: 25 }, () => codes).flat(),
    ...shortLists.english.split('|').slice(0, 5),
  ]
  assert.equal(detectLanguage(mixed).language, 'general')
  assert.equal(detectLanguage(mixed, headers).language, 'english')
})
