/** The options of the list of documents: what each accepts, and how OpenAPI describes it. The contract lists their names, for clients too. */
import type { documentListOptions } from '@querent/contract/paths'
import type { Parameter } from '#http/openapi'

interface ListOption {
  test: RegExp
  /** The allowed values in an error. */
  words: string
  description: string
  schema: NonNullable<Parameter['schema']>
}

export const countDefault = 100

export const listOptions: Readonly<Record<(typeof documentListOptions)[number], ListOption>> = {
  count: {
    test: /^([1-9][0-9]{0,2}|1000)$/,
    words: 'a whole number, 1 to 1000',
    description: 'Documents on the page',
    schema: { type: 'integer', minimum: 1, maximum: 1000, default: countDefault },
  },
  after: {
    test: /^.{1,2048}$/s,
    words: 'the "next" of the previous page',
    description: 'The `next` of the previous page',
    schema: { type: 'string', minLength: 1 },
  },
  search: {
    test: /^.{1,1000}$/s,
    words: 'text of 1 to 1000 characters',
    description:
      'Only the document with this id, and documents whose text fields have all of these words; the best first',
    schema: { type: 'string', minLength: 1, maxLength: 1000 },
  },
  values: {
    test: /^.{1,200}$/s,
    words: 'the name of a field',
    description: 'Also count the values of this field among the listed documents, the most frequent first',
    schema: { type: 'string', minLength: 1, maxLength: 200 },
  },
  format: {
    test: /^(json|ndjson)$/,
    words: 'json or ndjson',
    description: 'ndjson: all documents, one per line; `count` and `values` are not allowed',
    schema: { type: 'string', enum: ['json', 'ndjson'], default: 'json' },
  },
}
