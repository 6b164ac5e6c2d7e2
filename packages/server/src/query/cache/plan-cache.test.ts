import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CompiledApi, PlannedQuery } from '#query/plan/compile'
import { compileApi } from '#query/plan/compile'
import { openQuestions, plannedFor } from './plan-cache.ts'

const api = (): CompiledApi => compileApi({ workspace: 'w', apis: { main: {} } }, 'main')
const made = (): PlannedQuery => ({
  collection: 'books',
  plan: { nodes: [], restrictions: [], order: [], cutoff: 0, offset: 0, count: 10, statistics: false },
})

test('a plan is taken again for the same definition and row filters, and for no other', () => {
  const [mine, other] = [{ shelf: ['A'] }, { shelf: ['A'] }]
  const main = api()
  const first = plannedFor(undefined, { api: main, filters: [mine] }, made)
  assert.equal(plannedFor(first, { api: main, filters: [mine] }, made), first)
  for (const filters of [[], [other], [mine, other], [other, mine]])
    assert.notEqual(plannedFor(first, { api: main, filters }, made), first)
  assert.notEqual(plannedFor(first, { api: api(), filters: [mine] }, made), first)
})

test('a question is remembered once it is kept; one of a long URL is read anew', () => {
  const questions = openQuestions()
  const url = '/4/w/api/main/e/search/results'
  assert.notEqual(questions.of(url), questions.of(url))
  const question = questions.of(url)
  questions.keep(url, question)
  assert.equal(questions.of(url), question)
  const long = `${url}?x=${'y'.repeat(1000)}`
  questions.keep(long, questions.of(long))
  assert.notEqual(questions.of(long), questions.of(long))
})
