import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Group, RowFilter } from '@querent/contract/manage'
import type { Definition } from '@querent/contract/workspace-file'
import fc from 'fast-check'
import type { EffectiveFilter } from './effective-filter.ts'
import { combineRights, findRights } from './rights.ts'
import { arbitraryAttributes, arbitraryFilter } from './test-row-filters.ts'

const a: RowFilter = { kind: 'a' }
const b: RowFilter = { kind: 'b' }
const c: RowFilter = { size: 3 }
const d: RowFilter = { kind: 'd' }
const now = Date.parse('2026-06-15T12:00:00Z')
const noFilter = undefined

const definition = (groups: Record<string, Group>, filter?: RowFilter): Definition => ({
  workspace: 'w',
  groups,
  ...(filter ? { memberDefaults: { filter } } : {}),
})
const groups = { b: { filter: b }, c: { filter: c }, plain: {}, all: { filter: {} } }
const sees = (filter: EffectiveFilter | undefined) => filter?.alternatives

/** The table of authorization-server.md. */
const rows: {
  own?: RowFilter
  in: (keyof typeof groups)[]
  default?: RowFilter
  sees: RowFilter[] | undefined
}[] = [
  { own: a, in: [], sees: [a] },
  { own: a, in: ['b', 'all'], default: d, sees: [a] },
  { own: {}, in: ['b'], default: d, sees: noFilter },
  { in: ['b', 'c'], default: d, sees: [b, c] },
  { in: ['b', 'plain'], default: d, sees: [b] },
  { in: ['b', 'all'], default: d, sees: noFilter },
  { in: ['plain'], default: d, sees: [d] },
  { in: [], default: d, sees: [d] },
  { in: [], default: {}, sees: noFilter },
]
for (const row of rows)
  test(`own filter ${JSON.stringify(row.own)}, groups [${row.in}] and default ${JSON.stringify(row.default)} show what the contract says`, () => {
    const member = { roles: ['api' as const], filter: row.own, rights: { groups: row.in } }
    const { filter } = combineRights(definition(groups, row.default ?? d), member, now)
    assert.deepEqual(sees(filter), row.sees)
  })

test('without groups that filter and without a default, members see everything', () => {
  const member = { roles: ['api' as const], filter: undefined, rights: { groups: ['plain'] } }
  assert.equal(combineRights(definition({ plain: {} }), member, now).filter, noFilter)
  // Nobody can apply such a definition.
  assert.deepEqual(sees(combineRights(definition(groups), { ...member, rights: {} }, now).filter), [])
})

test('groups and defaults never limit administrators, only a filter of their own does', () => {
  const member = { roles: ['administrator' as const], filter: undefined, rights: { groups: ['b'] } }
  const limited = definition(groups, d)
  assert.equal(combineRights(limited, member, now).filter, noFilter)
  assert.deepEqual(combineRights(limited, member, now).groups, ['b'])
  assert.deepEqual(sees(combineRights(limited, { ...member, filter: a }, now).filter), [a])
})

test('an attribute that is missing or empty makes its filter match nothing, also inside not', () => {
  const find = (filter: RowFilter, attributes = {}) =>
    sees(combineRights({ workspace: 'w' }, { roles: ['api'], filter, rights: { attributes } }, now).filter)
  for (const condition of [{ member: 'x' }, { not: { member: 'x' } }, { not: { not: { member: 'x' } } }])
    for (const attributes of [{}, { x: [] }, { y: ['1'] }, { toString: 'no' }])
      assert.deepEqual(find({ kind: condition }, attributes), [])
  assert.deepEqual(find({ kind: { member: 'toString' } }), [])
  assert.deepEqual(find({ kind: { member: 'x' } }, { x: 'a' }), [{ kind: ['a'] }])
  assert.deepEqual(find({ kind: { not: { member: 'x' } } }, { x: ['a', 'b'] }), [
    { kind: { not: ['a', 'b'] } },
  ])
})

test('a group ends at its date, and one that does not exist is none', () => {
  const member = {
    roles: ['api' as const],
    filter: undefined,
    rights: { groups: ['gone', 'plain', { group: 'b', until: '2026-06-15' }] },
  }
  const limited = definition(groups, d)
  const midnight = Date.parse('2026-06-16T00:00:00Z')
  const early = combineRights(limited, member, midnight - 1)
  assert.deepEqual([early.groups, sees(early.filter), early.changesAt], [['b', 'plain'], [b], midnight])
  const late = combineRights(limited, member, midnight)
  assert.deepEqual(
    [late.groups, sees(late.filter), late.changesAt],
    [['plain'], [d], Number.POSITIVE_INFINITY],
  )
  assert.deepEqual(findRights(limited, member, midnight - 1).groups, ['b', 'plain'])
  assert.deepEqual(findRights(limited, member, midnight).groups, ['plain'], 'the cache ends with the group')
})

test('members with the same groups share one filter, which shares their cached plans', () => {
  const limited = definition(groups, d)
  const member = () => ({ roles: ['api' as const], filter: undefined, rights: { groups: ['b', 'c'] } })
  const [one, next] = [member(), member()]
  assert.equal(findRights(limited, one).filter, findRights(limited, next).filter)
  assert.equal(findRights(limited, one), findRights(limited, one))
  assert.notEqual(findRights(definition(groups, d), one), findRights(limited, one))
})

test('losing a group never opens a document that was hidden', () => {
  fc.assert(
    fc.property(
      fc.array(arbitraryFilter, { minLength: 1, maxLength: 3 }),
      arbitraryFilter,
      arbitraryAttributes,
      (filters, fallback, attributes) => {
        const heldGroups = Object.fromEntries(filters.map((filter, index) => [`g${index}`, { filter }]))
        const limited = definition(heldGroups, fallback)
        const names = Object.keys(heldGroups)
        const find = (held: string[]) =>
          combineRights(
            limited,
            { roles: ['api'], filter: undefined, rights: { groups: held, attributes } },
            now,
          ).filter
        const filterBefore = find(names)
        for (const name of names) {
          const filterAfter = find(names.filter(one => one !== name))
          // The remaining filters are a part of those before, or the default that the workspace wrote down.
          const isDefault = names.length === 1
          if (filterBefore === undefined || isDefault) continue
          assert.ok(
            filterAfter?.alternatives.every(one =>
              filterBefore.alternatives.some(other => JSON.stringify(other) === JSON.stringify(one)),
            ),
          )
        }
      },
    ),
  )
})
