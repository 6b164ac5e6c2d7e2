import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readApiRequest, writePath as writeContractPath } from '@querent/contract/paths'
import fc from 'fast-check'
import { type ApiRequest, writePath, writeRequest } from './path.ts'

const plain = { noNullPrototype: true }
const text = fc.string({ unit: 'grapheme' })
const name = fc.string({ unit: 'grapheme', minLength: 1 }).filter(value => !/^\.{1,2}$/.test(value))
const stack = fc.array(
  fc.record(
    {
      endpoint: name,
      parameters: fc.array(fc.record({ name, value: text }, plain), { maxLength: 3 }),
    },
    plain,
  ),
  { minLength: 1, maxLength: 3 },
)
const request: fc.Arbitrary<ApiRequest> = fc.oneof(
  fc.constantFrom('about', 'status', 'openapi', 'batch', 'mcp').map(kind => ({ kind }) as const),
  fc.record(
    {
      kind: fc.constant('query' as const),
      stack,
      type: fc.constantFrom('results', 'count', 'statistics', 'results,count', 'resultpage', 'resultitem'),
    },
    plain,
  ),
  fc.record({ kind: fc.constant('options' as const), stack, facet: name }, plain),
)

test('the server reads each path as it was meant, and the contract writes the same', () => {
  fc.assert(
    fc.property(request, name, name, (written, workspace, api) => {
      assert.equal(
        decodeURIComponent(writePath(workspace, api, written)),
        decodeURIComponent(writeContractPath(workspace, api, written)),
      )
      assert.deepEqual(readApiRequest(writeRequest(written).split('/')), written)
    }),
  )
})
