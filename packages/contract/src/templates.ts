/** Workspace files to begin with, by what is searched. */
import { writeStarterFile } from './starter.ts'

export interface WorkspaceTemplate {
  name: string
  description: string
  /** Returns a workspace file that can be applied as it is. */
  write: (workspace: string, title: string) => string
}

const writeTop = (workspace: string, title: string) => `workspace: ${workspace}
title: ${JSON.stringify(title)}
`

export const workspaceTemplates: readonly WorkspaceTemplate[] = [
  { name: 'Starter', description: 'One collection and one API', write: writeStarterFile },
  {
    name: 'Catalog',
    description: 'Products with categories, prices and stock',
    write: (workspace, title) => `# Products: search as you type, facets, price ranges and sorting.
${writeTop(workspace, title)}
collections:
  products:
    id: { field: sku }
    language: english
    fields:
      name: { type: text, weight: 3, suggest: true, title: Name }
      description: { type: text }
      brand: { type: keyword, title: Brand }
      category: { type: keyword, title: Category } # a path such as Home > Kitchen
      price: { type: number, title: Price }
      inStock: { type: boolean, title: In stock }
      added: { type: date, title: Added }
    synonyms: [[tv, television], [sofa, couch]]

apis:
  shop:
    title: Shop
    access: members # public: everyone may search
    endpoints:
      search: { kind: match, collection: products, prefix: true, typos: true, matching: relaxed }
      all: { kind: all, collection: products }
      product: { kind: lookup, collection: products }
      like: { kind: similar, collection: products }
      brand: { kind: facet, field: brand }
      category: { kind: facet, field: category, separator: " > " }
      price: { kind: range, field: price }
      priceGroups: { kind: facet, field: price, ranges: [{ to: 25 }, { from: 25, to: 100 }, { from: 100 }] }
      inStock: { kind: filter, field: inStock, value: true }
      cheapest: { kind: sort, field: price, order: ascending }
      newest: { kind: sort, field: added, order: descending }
`,
  },
  {
    name: 'Articles',
    description: 'News, documentation or papers, newest first',
    write: (workspace, title) => `# Articles: words in titles count more, recent articles rank higher.
${writeTop(workspace, title)}
collections:
  articles:
    id: { field: id, uri: "https://example.org/articles/{id}" }
    language: english
    fields:
      title: { type: text, weight: 3, suggest: true }
      summary: { type: text, weight: 1.5 }
      body: { type: text }
      author: { type: keyword, title: Author }
      topic: { type: keyword, title: Topic }
      published: { type: date, title: Published }

apis:
  articles:
    title: Articles
    endpoints:
      search: { kind: match, collection: articles, typos: true, matching: relaxed }
      complete: { kind: match, collection: articles, fields: [title], prefix: true }
      all: { kind: all, collection: articles }
      article: { kind: lookup, collection: articles }
      related: { kind: similar, collection: articles }
      author: { kind: facet, field: author }
      topic: { kind: facet, field: topic }
      year: { kind: facet, field: published, interval: year }
      published: { kind: range, field: published }
      recent: { kind: boost, field: published, halfLife: 30d }
      newest: { kind: sort, field: published, order: descending }
`,
  },
  {
    name: 'Places',
    description: 'Shops, sights or offices on a map',
    write: (workspace, title) => `# Places: search by words, kind and distance.
${writeTop(workspace, title)}
collections:
  places:
    id: { field: id }
    class: [https://schema.org/Place]
    language: english
    fields:
      name: { type: text, weight: 3, suggest: true }
      description: { type: text }
      kind: { type: keyword, title: Kind of place }
      city: { type: keyword, title: City }
      location: { type: geo, title: Location } # {"lat": 52.36, "lon": 4.885}
      rating: { type: number, title: Rating }

apis:
  places:
    title: Places
    endpoints:
      search: { kind: match, collection: places, prefix: true, typos: true }
      all: { kind: all, collection: places }
      place: { kind: lookup, collection: places }
      kind: { kind: facet, field: kind }
      city: { kind: facet, field: city }
      around: { kind: filter, field: location } # value: latitude, longitude and distance
      nearest: { kind: sort, field: location }
      nearby: { kind: boost, field: location, halfDistance: 5km }
      best: { kind: sort, field: rating, order: descending }
`,
  },
  {
    name: 'Thesaurus',
    description: 'Terms with their synonyms and broader terms',
    write: (workspace, title) => `# Terms: the preferred label counts most.
${writeTop(workspace, title)}
collections:
  concepts:
    id: { field: id, uri: "https://example.org/concepts/{id}" }
    class: [http://www.w3.org/2004/02/skos/core#Concept]
    language: english
    fields:
      prefLabel: { type: text, weight: 3, suggest: true, title: Preferred label }
      altLabel: { type: text, weight: 2, suggest: true, title: Alternative labels }
      definition: { type: text, weight: 0.5, title: Definition }
      broader: { type: keyword, title: Broader term } # a path such as Animals > Birds
      scheme: { type: keyword, title: Scheme }

apis:
  thesaurus:
    title: Thesaurus
    endpoints:
      search: { kind: match, collection: concepts, typos: true }
      complete: { kind: match, collection: concepts, fields: [prefLabel, altLabel], prefix: true }
      all: { kind: all, collection: concepts }
      concept: { kind: lookup, collection: concepts }
      broader: { kind: facet, field: broader, separator: " > " }
      scheme: { kind: facet, field: scheme }
      alphabetical: { kind: sort, field: prefLabel }
`,
  },
]
