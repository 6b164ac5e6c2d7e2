/** Snippets of the workspace file. `#{name}` is a place to fill in; Tab leads to the next one (CodeMirror's snippets). */
import { t } from '#i18n/translate.ts'

interface Snippet {
  label: string
  detail: string
  /** Tabs stand for levels of indentation. */
  template: string
}

const fields: Snippet[] = [
  {
    label: t('text field'),
    detail: t('full text'),
    template: '#{title}: { type: text, weight: #{2}, suggest: #{true} }',
  },
  {
    label: t('keyword field'),
    detail: t('for filters and facets'),
    template: '#{category}: { type: keyword }',
  },
  { label: t('number field'), detail: t('for ranges and sorting'), template: '#{price}: { type: number }' },
  { label: t('date field'), detail: t('for ranges and sorting'), template: '#{published}: { type: date }' },
  { label: t('place field'), detail: t('for distances'), template: '#{place}: { type: geo }' },
]

const endpoints: Snippet[] = [
  {
    label: t('search endpoint'),
    detail: t('full text as you type'),
    template: '#{search}: { kind: match, collection: #{books}, prefix: true, typos: true }',
  },
  {
    label: t('all endpoint'),
    detail: t('every document'),
    template: '#{all}: { kind: all, collection: #{books} }',
  },
  {
    label: t('document endpoint'),
    detail: t('one document by id'),
    template: '#{document}: { kind: lookup, collection: #{books} }',
  },
  {
    label: t('facet endpoint'),
    detail: t('counts values, and filters'),
    template: '#{category}: { kind: facet, field: #{category} }',
  },
  {
    label: t('range endpoint'),
    detail: t('filters by a range'),
    template: '#{price}: { kind: range, field: #{price} }',
  },
  {
    label: t('sort endpoint'),
    detail: t('sorts results'),
    template: '#{newest}: { kind: sort, field: #{published}, order: descending }',
  },
  {
    label: t('boost endpoint'),
    detail: t('ranks recent documents higher'),
    template: '#{recent}: { kind: boost, field: #{published}, halfLife: #{30d} }',
  },
]

const collections: Snippet[] = [
  {
    label: t('collection'),
    detail: t('with a title and a category'),
    template:
      '#{books}:\n\tid: { field: #{id} }\n\tlanguage: #{english}\n\tfields:\n\t\ttitle: { type: text, weight: 2, suggest: true }\n\t\tcategory: { type: keyword }',
  },
]

const apis: Snippet[] = [
  {
    label: t('API'),
    detail: t('with a search and a facet'),
    template:
      '#{site}:\n\ttitle: #{Site search}\n\tendpoints:\n\t\tsearch: { kind: match, collection: #{books}, prefix: true, typos: true }\n\t\tall: { kind: all, collection: #{books} }\n\t\tcategory: { kind: facet, field: #{category} }',
  },
]

const configurations: Snippet[] = [
  {
    label: t('configuration'),
    detail: t('searches the newest generation'),
    template: '#{staging}: { #{books}: latest }',
  },
]

const curation: Snippet[] = [
  {
    label: t('curation rule'),
    detail: t('pins and buries documents'),
    template: '{ when: { query: #{words} }, endpoint: #{search}, pin: ["#{URI}"], bury: [] }',
  },
]

const tests: Snippet[] = [
  {
    label: t('relevance test'),
    detail: t('documents that must come first'),
    template: '{ endpoint: #{search}, query: #{words}, expect: ["#{id}"], within: #{3} }',
  },
]

const synonyms: Snippet[] = [
  { label: t('synonyms'), detail: t('words that find each other'), template: '[#{car}, #{automobile}]' },
  {
    label: t('one-way synonyms'),
    detail: t('words that find others'),
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
