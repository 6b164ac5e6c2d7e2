import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEntry } from '@querent/contract/manage'
import { groupEntries, readIds } from './group-entries.ts'

const entry = (second: number, part: Partial<AuditEntry>): AuditEntry => ({
  id: String(second),
  at: new Date(second * 1000).toISOString(),
  actor: 'ada@example.org',
  action: 'deleteDocuments',
  target: 'books',
  targetName: null,
  detail: { deleted: 1, ids: [`b${second}`] },
  address: '192.0.2.1',
  requestId: '',
  ...part,
})

test('documents that a person deletes one after the other are one entry, in their order', () => {
  const [group, ...others] = groupEntries([entry(120, {}), entry(70, {}), entry(20, {})])
  assert.deepEqual(others, [])
  assert.deepEqual([group?.id, group?.detail], ['120', { deleted: 3, ids: ['b20', 'b70', 'b120'] }])
})

test('a pause, another person, collection or action, and a deletion by a filter begin another entry', () => {
  const entries = [
    entry(300, {}),
    entry(200, {}),
    entry(199, { actor: 'bob@example.org' }),
    entry(198, { target: 'films' }),
    entry(197, { target: 'films', action: 'saveDocument', detail: { ids: ['f1'] } }),
    entry(196, { detail: { deleted: 9, where: ['genre=drama'] } }),
    entry(195, { detail: { deleted: 9, where: ['genre=drama'] } }),
    entry(194, { action: 'importDocuments', detail: { accepted: 1 } }),
    entry(193, { action: 'importDocuments', detail: { accepted: 1 } }),
  ]
  assert.deepEqual(groupEntries(entries), entries)
})

test('a document that is saved twice is named once', () => {
  const saved = (second: number) => entry(second, { action: 'saveDocument', detail: { ids: ['b1'] } })
  const [group] = groupEntries([saved(2), saved(1)])
  assert.deepEqual(group && readIds(group), ['b1'])
  assert.equal(group?.detail.deleted, undefined)
})
