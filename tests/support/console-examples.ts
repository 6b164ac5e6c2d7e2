/** Workspaces that the tests of the console use both in the fake DOM and in a browser. */

/** A shop with fields, synonyms and curation, and with comments that an edit must keep. */
export const commentedShop = `# The shop of Ada
workspace: shop
title: A shop   # for now
members: { ada@example.org: [administrator] }

collections:
  books:
    # Numbers of books
    id: { field: isbn }
    fields:
      title:  { type: text,    weight: 2 }   # twice as much
      genre:  { type: keyword }              # one word
    synonyms: [[car, automobile],
               [tv, television]]             # both ways

apis:
  shop:
    endpoints:
      search:  { kind: match, collection: books, typos: true }   # what people type
      all:     { kind: all, collection: books }
    curation:
      # Spring campaign
      - { when: { query: spring }, endpoint: search, pin: ["1"] }
      # Summer campaign
      - { when: { query: summer }, endpoint: search, pin: ["2"], bury: ["3"] }
      - { when: { query: autumn }, endpoint: search, pin: ["3"] }
# The end
`
/** Its books. */
export const commentedBooks = ['Spring', 'Summer', 'Autumn']
  .map((title, index) => JSON.stringify({ isbn: index + 1, title: `${title} rivers`, genre: 'Novel' }))
  .join('\n')

/** Book shop with facets of titles. */
const listAuthors = (count: number) => Array.from({ length: count }, (_, index) => `Author ${index + 1}`)

export const bookShop = `
workspace: shop
title: Book shop
collections:
  books:
    id: { field: isbn }
    fields:
      title: { type: text }
      author: { type: keyword, title: Written by }
      genre: { type: keyword, title: Kind of book }
      price: { type: number, title: Price in euros }
apis:
  shop:
    endpoints:
      search: { kind: match, collection: books, fields: [title] }
      all: { kind: all, collection: books }
      author: { kind: facet, field: author }
      genre: { kind: facet, field: genre }
      price: { kind: range, field: price }
`

/** 9 authors with 8 genres. */
export const bookShopBooks = listAuthors(9).map((author, index) => ({
  isbn: `978-${index}`,
  title: `Book number ${index}`,
  author,
  genre: `Genre ${index % 8}`,
  price: 10 + index,
}))

/** Three kettles, which boosts and fields rank differently. */
export const kettleShop = `
# Comments stay.
workspace: shop
title: Shop
collections:
  things:
    id: { field: id, uri: "urn:thing:{id}" }
    fields:
      name: { type: text, weight: 1 }   # the name on the box
      about: { type: text }
      inStock: { type: boolean }
      sales: { type: number }
apis:
  shop:
    title: Things
    endpoints:
      search: { kind: match, collection: things }
      in-stock: { kind: boost, field: inStock, value: true, by: 2 }
`
export const kettles = [
  { id: '1', name: 'Kettle', about: 'Boils water', inStock: false, sales: 10 },
  { id: '2', name: 'Camping kettle', about: 'For the kettle on a fire', inStock: true, sales: 5 },
  { id: '3', name: 'Teapot', about: 'A kettle for tea', inStock: true, sales: 1e9 },
]

/** A shop with branding. */
export const brandedShop = `# The shop of Ada
workspace: shop
title: A shop   # for now
members: { ada@example.org: [administrator], eve@example.org: [user] }
applications:
  finder: { title: Finder, type: browser, redirectUris: ["https://app.example.org/callback"] }

branding:
  # As on the website
  name:  Old name   # until spring
  color: "#0b5"
  termsUrl: https://example.org/terms
# The end
`
