import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergeValueForms, valueForm } from './value-form.ts'
import type { Definition } from './workspace-file.ts'

test('a field has the form of its collections, without a sign that they read differently', () => {
  assert.deepEqual(mergeValueForms([{ decimal: ',' }, { decimal: ',' }]), { decimal: ',' })
  assert.deepEqual(mergeValueForms([{ decimal: ',' }, {}]), {})
  assert.deepEqual(mergeValueForms([{ decimal: ',' }, { decimal: '.' }]), {})
  assert.deepEqual(mergeValueForms([{ formats: ['dd.MM.yyyy'] }, { formats: ['dd.MM.yyyy', 'MM/dd/yy'] }]), {
    formats: ['dd.MM.yyyy', 'MM/dd/yy'],
  })
})

test('the form of a field is that in the named collections', () => {
  const definition: Pick<Definition, 'collections'> = {
    collections: {
      products: {
        fields: {
          price: { type: 'number', decimal: ',' },
          offers: { type: 'object', fields: { since: { type: 'date', formats: ['dd.MM.yyyy'] } } },
        },
      },
      other: { fields: { price: { type: 'number' } } },
    },
  }
  const read = (name: string) => valueForm(definition, ['products'], name)
  assert.deepEqual(['price', 'offers.since', 'none', 'toString'].map(read), [
    { decimal: ',' },
    { formats: ['dd.MM.yyyy'] },
    {},
    {},
  ])
  assert.deepEqual(valueForm(definition, ['products', 'other'], 'price'), {})
})
