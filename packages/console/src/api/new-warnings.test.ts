import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listNewWarnings } from './new-warnings.ts'

const warn = (path: string, line = 1) => ({
  path,
  line,
  code: 'unmatched-value',
  message: `Nothing at ${path}`,
})
const edit = (...path: string[]) => [{ path, value: {} }]

test('an edit shows the warnings that it causes, and those of the place that it edits', () => {
  const earlier = [warn('groups.press.filter.department'), warn('groups.legal.filter.department')]
  const laterWarnings = [...earlier.map(({ path }) => warn(path, 9)), warn('apis.shop.endpoints.new')]
  assert.deepEqual(listNewWarnings(laterWarnings, earlier, edit('apis', 'shop', 'endpoints', 'new')), [
    warn('apis.shop.endpoints.new'),
  ])
  assert.deepEqual(listNewWarnings(laterWarnings, earlier, edit('groups', 'press')), [
    warn('groups.press.filter.department', 9),
    warn('apis.shop.endpoints.new'),
  ])
})
