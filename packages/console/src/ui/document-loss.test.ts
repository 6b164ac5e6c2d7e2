import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chooseTypedName, readDocumentLoss } from './document-loss.ts'

const removal = (collection: string) => ({
  path: `collections.${collection}`,
  message: '',
  code: 'removed-collection',
  values: { collection },
})

describe('readDocumentLoss', () => {
  it('counts the documents of the collections that the server warns about', () => {
    const reply = {
      changes: [
        { change: 'remove' as const, path: 'collections.books' },
        { change: 'remove' as const, path: 'collections.drafts' },
        { change: 'remove' as const, path: 'collections.films' },
      ],
      warnings: [removal('books'), removal('films')],
    }
    const collections = [
      { collection: 'books', documents: 40 },
      { collection: 'drafts', documents: 0 },
      { collection: 'films', documents: 2 },
    ]
    assert.deepEqual(readDocumentLoss(reply, collections), {
      deleted: ['books', 'films'],
      documents: 42,
      empty: [],
    })
  })
  it('has no number if one collection is not counted, or only earlier generations have documents', () => {
    const reply = { changes: [], warnings: [removal('books'), removal('films')] }
    const films = { collection: 'films', documents: 2 }
    assert.equal(readDocumentLoss(reply, [{ collection: 'books', documents: null }, films]).documents, null)
    assert.equal(
      readDocumentLoss({ changes: [], warnings: [removal('books')] }, [{ collection: 'books', documents: 0 }])
        .documents,
      null,
    )
  })
  it('names the collections that come back, and not those with a new field', () => {
    const changes = [
      { change: 'add' as const, path: 'collections.books' },
      { change: 'add' as const, path: 'collections.films.fields.year' },
      { change: 'add' as const, path: 'apis.books' },
    ]
    assert.deepEqual(readDocumentLoss({ changes, warnings: [] }, []).empty, ['books'])
  })
})

describe('chooseTypedName', () => {
  const loss = (...deleted: string[]) => ({ deleted, documents: null, empty: [] })
  it('asks for the collection, for the workspace if there are several, and for nothing without a loss', () => {
    assert.equal(chooseTypedName(loss('books'), 'library'), 'books')
    assert.equal(chooseTypedName(loss('books', 'films'), 'library'), 'library')
    assert.equal(chooseTypedName(loss(), 'library'), undefined)
  })
})
