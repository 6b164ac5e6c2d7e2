import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHeading } from './heading.ts'

test('an id in a field is no heading while another short text names the document', () => {
  const attributes = { order_id: 'ORD 7', ordered: '2026-01-02', customer: 'Grace Hopper' }
  for (const id of ['ORD 7', 'urn:querent:shop:orders:ORD%207', 'https://shop.example/ORD%207'])
    assert.deepEqual(readHeading({ id, attributes }), { field: 'customer', text: 'Grace Hopper' })
  assert.deepEqual(readHeading({ id: 'ORD 7', attributes: { order_id: 'ORD 7' } }), {
    field: undefined,
    text: 'ORD 7',
  })
})

test('a code is no heading however a URI writes it', () => {
  const uris = {
    'A-00003/B': [
      'urn:querent:shop:a:A-00003/B',
      'https://x.example/A-00003%2FB',
      'https://x.example/?nr=A-00003/B',
    ],
    'a b?c#d': ['urn:querent:shop:a:a%20b?c#d', 'https://x.example/a%20b%3Fc%23d'],
    'X1:7': ['urn:querent:shop:a:X1:7', 'https://x.example/#X1%3A7'],
    'ü-7%': ['urn:querent:shop:a:%C3%BC-7%25'],
    'K-7': ['https://x.example/articles/K-7.html', 'https://x.example/K-7/'],
  }
  for (const [sku, ids] of Object.entries(uris))
    for (const id of [sku, ...ids]) {
      assert.equal(readHeading({ id, attributes: { sku, Bezeichnung: 'Lampe rot' } }).text, 'Lampe rot', id)
      assert.equal(readHeading({ id, attributes: { sku } }).text, id)
    }
  // A part of another id is a text like others.
  assert.equal(readHeading({ id: 'urn:querent:s:a:xK-7', attributes: { sku: 'K-7' } }).text, 'K-7')
})

test('a variant without the title of its product has the words of its handle and its options', () => {
  const attributes = { Handle: 'blue-mug', Title: '', 'Option1 Value': 'Large', 'Variant SKU': 'M-2' }
  assert.deepEqual(readHeading({ id: '7', attributes }), { field: undefined, text: 'Blue mug · Large' })
  assert.equal(readHeading({ id: '7', attributes: { ...attributes, Title: 'Mug' } }).text, 'Mug')
  // A handle that is the id names less than another text.
  assert.equal(readHeading({ id: 'mug', attributes: { Handle: 'mug', Vendor: 'Ada' } }).text, 'Ada')
})

test('a name that is an object names the document, and its other parts do not', () => {
  const attributes = { tags: ['craft'], name: { nl: 'Schaken', en: 'Chess', from: 2 } }
  assert.deepEqual(readHeading({ id: '1', attributes }), { field: 'name.en', text: 'Chess' })
  assert.deepEqual(readHeading({ id: '1', attributes: { tags: 'craft', name: { nl: 'Schaken' } } }), {
    field: 'name.nl',
    text: 'Schaken',
  })
  assert.deepEqual(readHeading({ id: '1', attributes: { tags: 'craft', name: { rank: 1 } } }), {
    field: 'tags',
    text: 'craft',
  })
})

test('a name of JSON-LD is its value, not its language, and a key without a text is passed over', () => {
  const read = (name: unknown) => readHeading({ id: 'e1', attributes: { tags: ['music'], name } }).text
  assert.equal(read({ '@language': 'en', '@value': 'Choir night' }), 'Choir night')
  assert.equal(read([{ '@language': 'en', '@value': 'Choir night' }]), 'Choir night')
  assert.equal(read({ full: null, sv: 'Körkväll' }), 'Körkväll')
  assert.equal(read({ '@language': 'en' }), 'music')
})

test('words name a document even where they are its id', () => {
  const attributes = { Artikel: 'Öllampe 15', Hersteller: 'ACME' }
  assert.equal(readHeading({ id: 'Öllampe 15', attributes }).text, 'Öllampe 15')
  assert.equal(readHeading({ id: 'l-15', attributes: { Nr: 'l-15', ...attributes } }).text, 'Öllampe 15')
  assert.equal(readHeading({ id: 'Widget', attributes: { Product: 'Widget', Brand: 'Foo' } }).text, 'Widget')
  assert.equal(readHeading({ id: 'blue-mug', attributes: { key: 'blue-mug', kind: 'Mug' } }).text, 'Mug')
})

test('an object that holds all fields has the title of the document', () => {
  const fields = { status: { name: 'Open' }, summary: 'Login fails on iPad' }
  assert.deepEqual(readHeading({ id: 'SUP-100', attributes: { key: 'SUP-100', fields } }), {
    field: 'fields.summary',
    text: 'Login fails on iPad',
  })
  const place = { type: 'Feature', properties: { kind: 'harbor', name: 'Port of Call' } }
  assert.equal(readHeading({ id: '3', attributes: place }).text, 'Port of Call')
  const mail = { _index: 'mail', _source: { from: 'ada', subject: 'Minutes of Monday' } }
  assert.equal(readHeading({ id: '4', attributes: mail }).text, 'Minutes of Monday')
  const product = { type: 'product', attributes: { price: 12, name: 'Red wool coat' } }
  assert.equal(readHeading({ id: '0', attributes: product }).text, 'Red wool coat')
  assert.equal(
    readHeading({ id: '1', attributes: { level: 'error', msg: 'Disk is full' } }).text,
    'Disk is full',
  )
  // Another object is a part of the document, such as its maker.
  assert.equal(
    readHeading({ id: '2', attributes: { product: 'Blue mug', brand: { name: 'Acme' } } }).text,
    'Blue mug',
  )
})

test('a title in another language, or a text for each language, names the document', () => {
  const faro = { type: 'island', ref: 'LH-1', nombre: { es: 'Faro de Hoburg', fr: 'Phare de Hoburg' } }
  const heading = { field: 'nombre.es', text: 'Faro de Hoburg' }
  assert.deepEqual(readHeading({ id: 'LH-1', attributes: faro }), heading)
  assert.deepEqual(readHeading({ id: 'LH-1', attributes: { type: 'Feature', properties: faro } }), {
    ...heading,
    field: 'properties.nombre.es',
  })
  assert.deepEqual(
    readHeading({ id: '1', attributes: { ref: '1', faro: { es: null, fr: 'Phare' }, kind: 'cape' } }),
    {
      field: 'faro.fr',
      text: 'Phare',
    },
  )
  for (const name of ['Título', 'nom', 'Navn', 'Tytuł', 'Bezeichnung', 'Başlık'])
    assert.equal(readHeading({ id: '1', attributes: { art: 'cape', [name]: 'Hoburg' } }).text, 'Hoburg', name)
  // Names of English come first, and an object of other members is no text.
  assert.equal(readHeading({ id: '1', attributes: { nom: 'Phare', name: 'Lighthouse' } }).text, 'Lighthouse')
  assert.equal(
    readHeading({ id: '1', attributes: { maker: { id: 'Acme', of: 7 }, item: 'Lamp' } }).text,
    'Lamp',
  )
})

test('a number or a sum of money is no heading, and a name that begins with a title is one', () => {
  const offer = { salaire: '32 000 € - 32 500 €', code: '75011', ville: 'Paris' }
  assert.equal(readHeading({ id: 'FR-1', attributes: offer }).text, 'Paris')
  const attributes = { ...offer, 'Intitulé du poste': 'Boulanger' }
  assert.equal(readHeading({ id: 'FR-1', attributes }).text, 'Boulanger')
  assert.equal(readHeading({ id: 'FR-1', attributes: { salaire: '38 k€', code: '75011' } }).text, 'FR-1')
})
