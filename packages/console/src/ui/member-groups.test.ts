import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findOpenApis } from './member-groups.ts'

const apis = [{ api: 'articles' }, { api: 'countries' }, { api: 'films' }]
const groups = {
  items: [
    { group: 'desk', apis: ['countries'] },
    { group: 'press', apis: 'all' as const },
    { group: 'quiet' },
  ],
  memberDefaults: { apis: ['films'] },
}
const open = (
  holder: Parameters<typeof findOpenApis>[1],
  list: Parameters<typeof findOpenApis>[2] = groups,
) => findOpenApis(apis, holder, list).map(({ api }) => api)

test('a member may use what its groups and its own rights open, or else what the defaults open', () => {
  assert.deepEqual(open({ groups: ['desk'] }), ['countries'])
  assert.deepEqual(open({ groups: ['desk', 'quiet'], apis: ['films'] }), ['countries', 'films'])
  assert.deepEqual(open({ groups: ['desk', 'press'] }), ['articles', 'countries', 'films'])
  assert.deepEqual(open({ groups: ['quiet'] }), ['films'])
  assert.deepEqual(open({ groups: [{ group: 'desk', until: '2001-01-01' }] }), ['films'])
  assert.deepEqual(open({ given: { idp: { groups: ['desk'], attributes: {} } } }), ['countries'])
  assert.deepEqual(open({ roles: ['administrator'], apis: [] }), ['articles', 'countries', 'films'])
  assert.deepEqual(open({}, { items: [], memberDefaults: {} }), ['articles', 'countries', 'films'])
  assert.deepEqual(open({}, { items: groups.items, memberDefaults: {} }), [])
})
