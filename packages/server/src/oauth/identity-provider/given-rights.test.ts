import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readGivenRights } from './given-rights.ts'

const provider = {
  groups: { claim: 'groups', map: { 'Legal-EU': ['legal'], Press: ['press', 'staff'], Staff: ['staff'] } },
  attributes: { department: 'department' },
}
const read = (claims: Record<string, unknown>, from: Parameters<typeof readGivenRights>[1] = provider) =>
  readGivenRights({ department: 'hr', ...claims }, from)
const groups = (claims: Record<string, unknown>) => {
  const { rights, faults } = read(claims)
  return [rights.groups, faults]
}

test('values of a claim become groups by their exact text', () => {
  assert.deepEqual(groups({ groups: ['Legal-EU', 'Press', 'Other'] }), [['legal', 'press', 'staff'], []])
  assert.deepEqual(groups({ groups: 'Staff' }), [['staff'], []])
  assert.deepEqual(groups({ groups: [] }), [[], []])
  // Letter case, look-alikes, other forms of a letter, blanks, and properties of objects.
  for (const value of [
    'legal-eu',
    'Legal‐EU',
    'Lеgal-EU',
    ' Legal-EU',
    'Legal-EU\u200b',
    'toString',
    '__proto__',
    '*',
  ])
    assert.deepEqual(groups({ groups: [value] }), [[], []], value)
})

test('a missing or incomplete claim gives none, and says so', () => {
  assert.deepEqual(groups({}), [[], ['claim-missing']])
  assert.deepEqual(groups({ groups: null }), [[], ['claim-missing']])
  const distributed = {
    _claim_names: { groups: 'src1' },
    _claim_sources: { src1: { endpoint: 'https://x.example' } },
  }
  assert.deepEqual(groups(distributed), [[], ['claim-incomplete']])
  assert.deepEqual(groups({ ...distributed, groups: ['Staff'] }), [[], ['claim-incomplete']])
  assert.deepEqual(groups({ hasgroups: true }), [[], ['claim-incomplete']])
  assert.deepEqual(groups({ groups: [{ name: 'Staff' }] }), [[], ['claim-incomplete']])
  assert.deepEqual(groups({ groups: ['Staff', null] }), [[], ['claim-incomplete']])
})

test('of a claim with more than 10,000 values, further ones are ignored', () => {
  const values = Array.from({ length: 9999 }, (_, index) => `x${index}`)
  assert.deepEqual(groups({ groups: [...values, 'Staff'] }), [['staff'], []])
  assert.deepEqual(groups({ groups: [...values, 'y', 'Staff'] }), [[], ['claim-too-long']])
  const map = Object.fromEntries(values.slice(0, 201).map(name => [name, [name]]))
  const { rights, faults } = read({ groups: values }, { groups: { claim: 'groups', map } })
  assert.deepEqual([rights.groups.length, faults], [200, ['claim-too-long']])
})

test('attributes copy all values of a claim, or none: a part would open more inside not', () => {
  const attribute = (value: unknown) => {
    const { rights, faults } = read({ groups: [], department: value })
    return [rights.attributes.department, faults]
  }
  assert.deepEqual(attribute(['hr', 7, true]), [['hr', 7, true], []])
  assert.deepEqual(attribute([]), [undefined, []])
  assert.deepEqual(attribute({ value: 'hr' }), [undefined, ['claim-incomplete']])
  assert.deepEqual(attribute(['hr', '\u0000']), [undefined, ['claim-incomplete']])
  const values = Array.from({ length: 1001 }, (_, index) => `x${index}`)
  assert.deepEqual(attribute(values), [undefined, ['claim-too-long']])
  assert.equal(read({ groups: [], department: values.slice(1) }).rights.attributes.department?.length, 1000)
})
