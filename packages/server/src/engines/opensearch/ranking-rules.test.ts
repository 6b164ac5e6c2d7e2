import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textFunctions } from '@querent/engine'
import { rankingRules } from './ranking-rules.ts'

test('both engines rank by the same numbers', () => {
  assert.deepEqual(rankingRules, JSON.parse(textFunctions().rankingRules()))
})
