import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { listDeleted, removeCollection, removeUses } from './remove-uses.ts'

const file: WorkspaceFile = {
  workspace: 'shop',
  apis: {
    shop: {
      endpoints: {
        search: { kind: 'match', collection: 'books', fields: ['title', 'blurb', 'genre'], boosts: ['new'] },
        genres: { kind: 'match', collection: 'books', fields: ['genre'] },
        both: { kind: 'mix', of: { search: 1, genres: 2 } },
      },
    },
  },
  tests: [
    { endpoint: 'genres', query: 'novel', expect: ['1'] },
    { as: 'ada@example.org', never: { genre: 'secret' } },
  ] as NonNullable<WorkspaceFile['tests']>,
}

const remove = (...places: string[]) => removeUses(file, places)?.edits.map(({ path }) => path.join('.'))

test('a use in a list or mapping goes alone, the last first, and an endpoint without its last one goes whole', () => {
  assert.deepEqual(
    remove(
      'apis.shop.endpoints.search.fields.1',
      'apis.shop.endpoints.search.fields.2',
      'apis.shop.endpoints.search.boosts.0',
      'apis.shop.endpoints.genres.fields.0',
      'apis.shop.endpoints.both.of.genres',
      'tests.0.endpoint',
    ),
    [
      'apis.shop.endpoints.search.fields.2',
      'apis.shop.endpoints.search.fields.1',
      'tests.0',
      'apis.shop.endpoints.search.boosts',
      'apis.shop.endpoints.both.of.genres',
      'apis.shop.endpoints.genres',
    ],
  )
  assert.deepEqual(removeUses(file, ['apis.shop.endpoints.genres.fields.0'])?.names, ['genres'])
})

test('row filters, readers and leak tests are never removed with a field', () => {
  for (const place of ['groups.desk.filter.genre', 'collections.books.readers.field', 'tests.1.never.genre'])
    assert.equal(removeUses(file, ['apis.shop.endpoints.genres.fields.0', place]), undefined, place)
  assert.equal(removeUses(file, []), undefined)
})

test('a list of what a group or an account opens loses the name, and a configuration its choice', () => {
  assert.deepEqual(
    remove(
      'groups.desk.apis.1',
      'members.ada@example.org.collections.0',
      'memberDefaults.apis.2',
      'configurations.staging.books',
    ),
    [
      'memberDefaults.apis.2',
      'groups.desk.apis.1',
      'members.ada@example.org.collections.0',
      'configurations.staging.books',
    ],
  )
})

test('a collection goes with the APIs that search nothing else', () => {
  const edits = removeCollection(
    {
      workspace: 'shop',
      collections: { books: {}, films: {} },
      apis: {
        ...file.apis,
        everything: {
          endpoints: {
            films: { kind: 'all', collection: 'films' },
            books: { kind: 'all', collection: 'books' },
          },
        },
        unnamed: { endpoints: { genre: { kind: 'facet', field: 'genre' } } },
        empty: { endpoints: {} },
      },
    },
    'books',
  )
  assert.deepEqual(
    edits.map(({ path }) => path.join('.')),
    ['collections.books', 'apis.shop'],
  )
  assert.deepEqual(listDeleted(file, edits), ['books', 'shop', 'search', 'genres', 'both'])
})
