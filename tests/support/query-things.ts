/** Documents with difficult values, and workspaces for them, for the property tests of the query service. */
import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import type { StartedServer } from './started-server.ts'

export interface TestDocument {
  id: string
  title: string
  notes: string[]
  tags: string[]
  kind: string | null
  size: number[]
  added: string | null
  flag: boolean | null
  label: string | null
}

/** Words that no stemmer and no stop list changes. */
export const words = ['zorb', 'kumquat', 'fjord', 'plinth', 'gnarl', 'wombat', 'quartz', 'ibex'] as const
export const kinds = ['alpha', 'beta', 'gamma', 'delta'] as const
/** Characters that break URL handling, quoting and comparing. */
export const nastyValues: readonly string[] = [
  'drama',
  'Drama',
  'a, b',
  'history/modern',
  'été',
  'e\u0301te\u0301',
  'שלום',
  'مرحبا (بك)',
  '𝒳𝒴',
  '\uff5e',
  '👩‍👩‍👧',
  '100%',
  '%2F',
  '%zz',
  'a:b',
  'tags:FILTER',
  'f(x)',
  '1(drama)',
  '0.5(a,b)|1(c)',
  'say "hi"',
  'a|b',
  'back\\slash',
  '',
  ' ',
  ' lead',
  'tab\there',
  'new\nline',
  'a+b',
  'a&count=1',
  '?count=1',
  '#x',
  '.',
  '..',
  'results',
  'e',
  'p',
]

const ids: readonly ((index: number) => string)[] = [
  index => `t${index}`,
  index => `a/b/${index}`,
  index => `p%2Fq ${index}`,
  index => `é:${index}`,
  index => `https://other.example/x/${index}?a=b&c=d#e`,
  index => `https://other.example/𝒳/${index}`,
  index => `https://other.example/\uff5e/${index}`,
  index => `urn:isbn:${index},(x)`,
  index => `say "${index}"|x`,
]

const documentFields: fc.Arbitrary<Omit<TestDocument, 'id'>> = fc.record({
  title: fc
    .array(fc.constantFrom(...words, 'the', 'and', '𝒳', 'שלום', '<b>', '"', '%'), {
      minLength: 1,
      maxLength: 6,
    })
    .map(parts => parts.join(' ')),
  notes: fc.array(fc.constantFrom(...words), { maxLength: 3 }),
  tags: fc.uniqueArray(fc.constantFrom(...nastyValues), { maxLength: 4 }),
  kind: fc.option(fc.constantFrom(...kinds), { freq: 6 }),
  size: fc.array(fc.constantFrom(-3, -0.5, 0, 1, 2, 2.5, 10, 1e6), { maxLength: 2 }),
  added: fc.option(
    fc.constantFrom(
      '2020-01-01',
      '2020-01-01T00:00:00Z',
      '2020-01-01T23:30:00-02:00',
      '2020-01-02T00:00:00.5Z',
      '1969-07-20T20:17:40Z',
      '2031-12-31T12:00:00+05:30',
    ),
  ),
  flag: fc.option(fc.boolean()),
  label: fc.option(fc.constantFrom('ape', 'bee', 'cat', 'dog')),
})

/** Returns the same things for the same seed. */
export const makeDocuments = (count: number, seed: number): TestDocument[] =>
  fc.sample(documentFields, { numRuns: count, seed }).map((rest, index) => ({
    id: ids[index % ids.length]?.(index) ?? assertNever(),
    ...rest,
  }))

const assertNever = (): never => {
  throw new Error('there is such an id')
}

/** The contract keeps an absolute URI and inserts any other id into the collection's template (docs/import-data.md, Ids and values). */
export const documentUri = (id: string): string =>
  /^[A-Za-z][A-Za-z0-9+.-]*:[^\s"{}|]+$/.test(id) ? id : `https://things.example/${encodeURI(id)}`

const collection = {
  id: { field: 'id', uri: 'https://things.example/{id}' },
  class: ['https://schema.org/Thing'],
  language: 'english',
  fields: {
    title: { type: 'text', weight: 2 },
    notes: { type: 'text' },
    tags: { type: 'keyword', title: 'Tags' },
    kind: { type: 'keyword' },
    size: { type: 'number' },
    added: { type: 'date' },
    flag: { type: 'boolean' },
    label: { type: 'text' },
  },
}

/** An API with an endpoint of each kind on the collection. */
const makeApi = (name: string) => ({
  endpoints: {
    words: { kind: 'match', collection: name, fields: ['title', 'notes'] },
    begun: { kind: 'match', collection: name, fields: ['title', 'notes'], prefix: true },
    misspelt: { kind: 'match', collection: name, fields: ['title', 'notes'], typos: true },
    all: { kind: 'all', collection: name },
    thing: { kind: 'lookup', collection: name },
    tags: { kind: 'facet', field: 'tags' },
    kind: { kind: 'facet', field: 'kind', title: 'Kind' },
    size: { kind: 'facet', field: 'size' },
    flag: { kind: 'facet', field: 'flag' },
    added: { kind: 'facet', field: 'added' },
    alpha: { kind: 'filter', field: 'kind', value: 'alpha' },
    'size-range': { kind: 'range', field: 'size' },
    'added-range': { kind: 'range', field: 'added', from: 'since', to: 'until' },
    'by-size': { kind: 'sort', field: 'size' },
    'by-size-down': { kind: 'sort', field: 'size', order: 'descending' },
    'by-added-down': { kind: 'sort', field: 'added', order: 'descending' },
    'by-label': { kind: 'sort', field: 'label' },
    'by-flag': { kind: 'sort', field: 'flag' },
    like: { kind: 'similar', collection: name, fields: ['title', 'notes'] },
    blend: { kind: 'mix', of: { words: 0.7, begun: 0.3 } },
    'alpha-or-sized': { kind: 'any', of: ['alpha', 'size-range'] },
    'not-alpha-or-sized': { kind: 'any', of: ['alpha', 'size-range'], not: true },
    recent: { kind: 'boost', field: 'added', halfLife: '365d' },
    large: { kind: 'boost', field: 'size', by: 'log' },
    'blend-scores': { kind: 'mix', of: { words: 0.7, begun: 0.3 }, scores: true },
  },
})

export type RowFilter = Record<string, string | number | boolean | (string | number | boolean)[]>

/**
 * Applies a workspace with an API and a collection of the same name for each, creates System-to-System accounts, and imports the things.
 */
export const setUpWorkspace = async (
  server: StartedServer,
  workspace: string,
  collections: Readonly<Record<string, readonly TestDocument[]>>,
  accounts: Readonly<Record<string, RowFilter | null>> = { reader: null },
): Promise<void> => {
  const names = Object.keys(collections)
  const definition = {
    workspace,
    collections: Object.fromEntries(names.map(name => [name, collection])),
    apis: {
      ...Object.fromEntries(names.map(name => [name, makeApi(name)])),
      open: { access: 'public', endpoints: { all: { kind: 'all', collection: names[0] } } },
      both: {
        endpoints: {
          first: { kind: 'all', collection: names[0] },
          second: { kind: 'all', collection: names.at(-1) },
          tags: { kind: 'facet', field: 'tags' },
          alpha: { kind: 'filter', field: 'kind', value: 'alpha' },
        },
      },
    },
    systemToSystem: Object.fromEntries(
      Object.entries(accounts).map(([name, filter]) => [name, { roles: ['api'], ...(filter && { filter }) }]),
    ),
  }
  const file = join(tmpdir(), `querent-things-${randomUUID()}.json`)
  await writeFile(file, JSON.stringify(definition))
  await server.applyFile(file)
  await rm(file)
  for (const [name, documents] of Object.entries(collections))
    if (documents.length > 0)
      await server.importDocuments(
        workspace,
        name,
        documents.map(document => JSON.stringify(document)).join('\n'),
        { strict: true },
      )
}

/** Client ID and a new secret of a System-to-System account in the workspace file. */
export const createCredentials = async (
  server: StartedServer,
  workspace: string,
  name: string,
): Promise<{ clientId: string; clientSecret: string }> => {
  const accounts = (await server.run(['s2s', 'list', workspace])) as { clientId: string; name: string }[]
  const clientId = accounts.find(account => account.name === name)?.clientId
  if (clientId === undefined) throw new Error(`there is no account ${name}`)
  return (await server.run(['s2s', 'secret', 'add', workspace, clientId])) as {
    clientId: string
    clientSecret: string
  }
}
