/** Documents of many forms, for tests of the types of replies. */
/** A workspace whose documents have values in all forms that fields take. */
export const partsFile = `
workspace: parts
title: Parts
collections:
  parts:
    id: { field: id }
    language: german
    fields:
      Preis (EUR): { type: number, decimal: "," }
      stock: { type: number, title: Stock }
      sizes: { type: number, listSeparator: ";" }
      since: { type: date, formats: [dd.MM.yyyy] }
      changed: { type: date, formats: [epoch-seconds] }
      geometry: { type: geo }
      spot: { type: geo, from: { lat: latitude, lon: longitude } }
      nombre.es: { type: text }
      nombre.fr: { type: text }
      Warengruppe: { type: keyword }
      Warengruppe-text: { type: text, source: Warengruppe }
      marke: { type: text, source: brand }
      offers: { type: object, together: true, fields: { shop: { type: keyword }, price: { type: number, decimal: "," } } }
      more: { type: object }
      more.color: { type: keyword }
      vector: { type: vector, dimensions: 2 }
      sets: { type: object, together: true, fields: { brand: { type: keyword, source: maker }, maker-text: { type: text, source: name }, name: { type: keyword } } }
apis:
  parts:
    title: Parts
    endpoints:
      all: { kind: all, collection: parts }
`

export const parts = [
  {
    id: '1',
    'Preis (EUR)': '1.509,52',
    stock: 12,
    sizes: '8;10',
    since: '28.04.2025',
    changed: 1_517_509_117,
    geometry: { type: 'Point', coordinates: [4.89, 52.37] },
    latitude: 52.37,
    longitude: '4.89',
    nombre: { es: 'Faro de Hoburg', fr: null },
    Warengruppe: ['Pumpen', 'Lager'],
    brand: 'Acme',
    offers: [{ shop: 'A', price: '9,90' }, { shop: 'B' }],
    more: { color: 'red', size: 12 },
    vector: [0.5, 1],
    sets: [{ maker: 'Acme', name: 'Pump' }, { maker: null }],
  },
  {
    id: '2',
    'Preis (EUR)': [7.5, '8,20'],
    since: null,
    changed: '1517509117',
    geometry: [4.89, 52.37],
    'nombre.es': 'Faro',
    offers: { price: 8 },
    more: [{ weight: 1 }],
  },
  { id: '3', geometry: { lat: 52.37, lng: 4.89 }, nombre: [{ es: ['uno', 'dos'] }] },
  { id: '4', geometry: '52.37,4.89' },
]
