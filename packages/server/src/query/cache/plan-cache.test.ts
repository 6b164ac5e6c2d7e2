import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fixedFilter } from '#authz/effective-filter'
import type { CompiledApi, PlannedQuery } from '#query/plan/compile'
import { compileApi } from '#query/plan/compile'
import { wholeMinutes } from '#query/plan/whole-times'
import { createPlanCache, reuseOrPlan } from './plan-cache.ts'

const api = (): CompiledApi => compileApi({ workspace: 'w', apis: { main: {} } }, 'main')
const makePlan = (): PlannedQuery => ({
  collection: 'books',
  plan: { nodes: [], restrictions: [], order: [], cutoff: 0, offset: 0, count: 10, statistics: false },
})

test('a plan is reused only for the same definition and row filters', () => {
  const [mine, equal] = [fixedFilter({ shelf: ['A'] }), fixedFilter({ shelf: ['A'] })]
  const main = api()
  const first = reuseOrPlan(undefined, { api: main, filters: [mine] }, makePlan)
  assert.equal(reuseOrPlan(first, { api: main, filters: [mine] }, makePlan), first)
  for (const filters of [[], [equal], [mine, equal], [equal, mine]])
    assert.notEqual(reuseOrPlan(first, { api: main, filters }, makePlan), first)
  assert.notEqual(reuseOrPlan(first, { api: api(), filters: [mine] }, makePlan), first)
})

test('a plan that depends on the time is reused within its minute only', () => {
  const scope = { api: api(), filters: [] }
  const planFor = (nowMs: number) => reuseOrPlan(undefined, scope, () => ({ ...makePlan(), nowMs }))
  const current = planFor(wholeMinutes(Date.now()))
  const reused = reuseOrPlan(current, scope, makePlan)
  // The minute may end meanwhile.
  assert.ok(reused === current || wholeMinutes(Date.now()) !== current.query.nowMs)
  const earlier = planFor(wholeMinutes(Date.now()) - 60_000)
  assert.notEqual(reuseOrPlan(earlier, scope, makePlan), earlier)
})

test('a request is cached after it is set, unless its URL is long', () => {
  const planCache = createPlanCache()
  const url = '/4/w/api/main/e/search/results'
  assert.notEqual(planCache.getOrRead(url), planCache.getOrRead(url))
  const cached = planCache.getOrRead(url)
  planCache.set(url, cached)
  assert.equal(planCache.getOrRead(url), cached)
  const long = `${url}?x=${'y'.repeat(1000)}`
  planCache.set(long, planCache.getOrRead(long))
  assert.notEqual(planCache.getOrRead(long), planCache.getOrRead(long))
})
