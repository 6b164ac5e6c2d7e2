/** Snippets of the workspace file. `#{name}` is a place to fill in; Tab leads to the next one (CodeMirror's snippets). */

interface Snippet {
  label: string
  detail: string
  /** Tabs stand for levels of indentation. */
  template: string
}

const fields: Snippet[] = [
  {
    label: 'text field',
    detail: 'full text',
    template: '#{title}: { type: text, weight: #{2}, suggest: #{true} }',
  },
  { label: 'keyword field', detail: 'for filters and facets', template: '#{category}: { type: keyword }' },
  { label: 'number field', detail: 'for ranges and sorting', template: '#{price}: { type: number }' },
  { label: 'date field', detail: 'for ranges and sorting', template: '#{published}: { type: date }' },
  { label: 'place field', detail: 'for distances', template: '#{place}: { type: geo }' },
]

const endpoints: Snippet[] = [
  {
    label: 'search endpoint',
    detail: 'full text as you type',
    template: '#{search}: { kind: match, collection: #{books}, prefix: true, typos: true }',
  },
  {
    label: 'all endpoint',
    detail: 'every document',
    template: '#{all}: { kind: all, collection: #{books} }',
  },
  {
    label: 'document endpoint',
    detail: 'one document by id',
    template: '#{document}: { kind: lookup, collection: #{books} }',
  },
  {
    label: 'facet endpoint',
    detail: 'counts values, and filters',
    template: '#{category}: { kind: facet, field: #{category} }',
  },
  {
    label: 'range endpoint',
    detail: 'filters by a range',
    template: '#{price}: { kind: range, field: #{price} }',
  },
  {
    label: 'sort endpoint',
    detail: 'sorts results',
    template: '#{newest}: { kind: sort, field: #{published}, order: descending }',
  },
  {
    label: 'boost endpoint',
    detail: 'ranks recent documents higher',
    template: '#{recent}: { kind: boost, field: #{published}, halfLife: #{30d} }',
  },
]

const collections: Snippet[] = [
  {
    label: 'collection',
    detail: 'with a title and a category',
    template:
      '#{books}:\n\tid: { field: #{id} }\n\tlanguage: #{english}\n\tfields:\n\t\ttitle: { type: text, weight: 2, suggest: true }\n\t\tcategory: { type: keyword }',
  },
]

const apis: Snippet[] = [
  {
    label: 'API',
    detail: 'with a search and a facet',
    template:
      '#{site}:\n\ttitle: #{Site search}\n\tendpoints:\n\t\tsearch: { kind: match, collection: #{books}, prefix: true, typos: true }\n\t\tall: { kind: all, collection: #{books} }\n\t\tcategory: { kind: facet, field: #{category} }',
  },
]

const configurations: Snippet[] = [
  {
    label: 'configuration',
    detail: 'searches the newest generation',
    template: '#{staging}: { #{books}: latest }',
  },
]

const curation: Snippet[] = [
  {
    label: 'curation rule',
    detail: 'pins and buries documents',
    template: '{ when: { query: #{words} }, endpoint: #{search}, pin: ["#{URI}"], bury: [] }',
  },
]

const tests: Snippet[] = [
  {
    label: 'relevance test',
    detail: 'documents that must come first',
    template: '{ endpoint: #{search}, query: #{words}, expect: ["#{id}"], within: #{3} }',
  },
]

const synonyms: Snippet[] = [
  { label: 'synonyms', detail: 'words that find each other', template: '[#{car}, #{automobile}]' },
  {
    label: 'one-way synonyms',
    detail: 'words that find others',
    template: '{ from: [#{js}], to: [#{javascript}] }',
  },
]

const places: Readonly<Record<string, readonly Snippet[]>> = {
  collections,
  apis,
  configurations,
  'collections.*.fields': fields,
  'collections.*.synonyms.[]': synonyms,
  'apis.*.endpoints': endpoints,
  'apis.*.curation.[]': curation,
  'tests.[]': tests,
}

/** Returns the snippets for the mapping or the item of a list at a path. */
export const findSnippets = (path: readonly string[]): readonly Snippet[] =>
  places[path.map((key, depth) => (depth === 1 && key !== '[]' ? '*' : key)).join('.')] ?? []
