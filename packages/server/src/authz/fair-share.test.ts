import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairShare } from './fair-share.ts'

test('a group that floods pushes out its own items only, and the bounds hold at all times', () => {
  const share = createFairShare({ max: 100, groupMax: 60 })
  const present = new Set<string>()
  const add = (group: string, item: string) => {
    present.add(item)
    present.delete(share.add(group, item) ?? '')
    assert.ok(share.size() <= 100)
    assert.equal(share.size(), present.size)
  }
  for (let number = 0; number < 20; number++) add(`quiet ${number}`, `quiet ${number}`)
  for (let number = 0; number < 5000; number++) add('flood', `flood ${number}`)
  for (let number = 0; number < 5000; number++) add('other flood', `other flood ${number}`)
  for (let number = 0; number < 20; number++) assert.ok(present.has(`quiet ${number}`))
  assert.ok(present.has('flood 4999') && !present.has('flood 0'))
  assert.ok(present.has('other flood 4999'))
})

test('of equally large groups the one that grew first loses an item, and removed items make room', () => {
  const share = createFairShare({ max: 2, groupMax: 2 })
  assert.equal(share.add('a', 'a1'), undefined)
  assert.equal(share.add('b', 'b1'), undefined)
  assert.equal(share.add('c', 'c1'), 'a1')
  share.remove('b1')
  share.remove('b1')
  assert.equal(share.add('d', 'd1'), undefined)
  assert.equal(share.add('d', 'd1'), undefined, 'the same item again')
  assert.equal(share.size(), 2)
})

test('any order of additions and removals agrees with a plain count', () => {
  const share = createFairShare({ max: 50, groupMax: 20 })
  const present = new Map<string, string>()
  let random = 7
  const next = (below: number) => {
    random = (random * 1103515245 + 12345) % 2147483648
    return random % below
  }
  for (let step = 0; step < 20_000; step++) {
    const item = `i${next(200)}`
    if (next(3) === 0) {
      share.remove(item)
      present.delete(item)
      continue
    }
    const group = `g${next(8)}`
    present.delete(item)
    const sizes = new Map<string, number>()
    for (const group of present.values()) sizes.set(group, (sizes.get(group) ?? 0) + 1)
    const largest = Math.max(0, ...sizes.values())
    const removed = share.add(group, item)
    if (removed !== undefined) {
      const loserGroup = present.get(removed) ?? ''
      assert.ok(loserGroup === group || sizes.get(loserGroup) === largest, `${removed} of ${loserGroup}`)
      present.delete(removed)
    }
    present.set(item, group)
    assert.equal(share.size(), present.size)
  }
})
