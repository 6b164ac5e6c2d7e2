import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#errors'
import type { BatchOutcome } from '#query'
import { isBroken, type PlannedTest, planTests, type TestedFile } from './plan-tests.ts'
import { runTests, type TestOutcome } from './run-tests.ts'

const file = (tests: TestedFile['tests']): TestedFile => ({
  workspace: 'shop',
  collections: { products: { id: { field: 'id', uri: 'https://shop.example/{id}' } } },
  apis: { shop: { endpoints: { search: { kind: 'match', collection: 'products' } } } },
  tests: tests ?? [],
})

/** 45 queries, so that there are several batches. Each expects the document of its own number. */
const numbered = Array.from({ length: 45 }, (_, number) => ({
  query: `word ${number}`,
  document: String(number),
  grade: 1,
}))

const sources = {
  describeApi: async () => ({
    endpoints: [
      {
        name: 'search',
        kind: 'match',
        title: '',
        parameters: [{ name: 'query', type: 'string', required: true }],
      },
    ],
  }),
  readJudgments: () => numbered,
}

const plan = async (tests: TestedFile['tests']): Promise<PlannedTest[]> =>
  (await planTests(file(tests), sources)).map(planned => {
    assert.ok(!isBroken(planned), isBroken(planned) ? planned.error.message : '')
    return planned
  })

const resultsWith = (...ids: string[]): BatchOutcome<unknown> => ({
  ok: true,
  status: 200,
  body: { items: ids.map(id => ({ tuple: [{ id: `https://shop.example/${id}` }] })) },
})
const rejectedWith = (status: number, code: string): BatchOutcome<unknown> => ({
  ok: false,
  status,
  error: new ApiError(status, { message: code, code }),
})
const readNumber = (path: string): string => /word%20(\d+)/.exec(path)?.[1] ?? ''

const ndcg = { judgments: 'j.tsv', endpoint: 'search', metric: 'ndcg@10', atLeast: 0.9 }
const mrr = { ...ndcg, metric: 'mrr@10' }

test('queries go in batches of 20, two at once, and one that several tests need is sent once', async () => {
  const sizes: number[] = []
  const progress: number[] = []
  let running = 0
  let runningMax = 0
  const outcomes = await runTests(await plan([ndcg, mrr]), {
    async batch(_, requests) {
      sizes.push(requests.length)
      running++
      runningMax = Math.max(runningMax, running)
      await Promise.resolve()
      running--
      return requests.map(path => resultsWith('other', readNumber(path)))
    },
    onProgress: ({ done }) => progress.push(done),
  })
  assert.deepEqual(sizes, [20, 20, 5])
  assert.equal(runningMax, 2)
  assert.deepEqual([progress[0], progress.at(-1)], [0, 45])
  const [first, second] = outcomes as TestOutcome[]
  assert.ok(Math.abs((first?.value ?? 0) - 1 / Math.log2(3)) < 1e-12)
  assert.equal(second?.value, 1 / 2)
  assert.deepEqual(second?.queries[7], {
    query: 'word 7',
    value: 1 / 2,
    count: 10,
    expected: [{ id: '7', grade: 1, rank: 2 }],
    found: ['other', '7'],
  })
})

test('a configuration replaces those of the tests, whose names stay the same', async () => {
  const expectation = { query: 'word 1', expect: ['1'], endpoint: 'search', config: 'staging' }
  const configurations: (string | null)[] = []
  const names: string[] = []
  for (const config of [undefined, 'other'])
    for (const { name } of (await runTests(await plan([expectation]), {
      config,
      async batch(_, requests) {
        for (const path of requests)
          configurations.push(new URLSearchParams(path.split('?')[1]).get('config'))
        return requests.map(() => resultsWith('1'))
      },
    })) as TestOutcome[])
      names.push(name)
  assert.deepEqual(configurations, ['staging', 'other'])
  assert.equal(new Set(names).size, 1)
})

test('queries that the limits reject are sent again, and no others', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const limited = rejectedWith(429, 'too-many-requests')
  const sentNumbers: string[][] = []
  const run = runTests(
    await plan([
      { query: 'word 1', expect: ['1'], endpoint: 'search' },
      { query: 'word 2', expect: ['2'], endpoint: 'search' },
    ]),
    {
      async batch(_, requests) {
        sentNumbers.push(requests.map(readNumber))
        // The wait begins after this reply.
        if (sentNumbers.length === 1) setImmediate(() => t.mock.timers.tick(5000))
        return requests.map((path, index) =>
          sentNumbers.length === 1 && index === 0 ? limited : resultsWith(readNumber(path)),
        )
      },
    },
  )
  assert.deepEqual(
    ((await run) as TestOutcome[]).map(({ passed }) => passed),
    [true, true],
  )
  assert.deepEqual(sentNumbers, [['1', '2'], ['1']])
})

test('a rejected query breaks its test, and the others run', async () => {
  const rejected = rejectedWith(400, 'no-such-configuration')
  const [first, second] = await runTests(
    await plan([
      { query: 'word 1', expect: ['1'], endpoint: 'search', config: 'none' },
      { query: 'word 1', expect: ['1'], endpoint: 'search' },
    ]),
    {
      batch: async (_, requests) =>
        requests.map(path => (path.includes('config') ? rejected : resultsWith('1'))),
    },
  )
  assert.ok(first && isBroken(first) && second && !isBroken(second))
  assert.equal('code' in first.error && first.error.code, 'no-such-configuration')
  assert.ok(second.passed)
})

test('an aborted run sends no further batch', async () => {
  const controller = new AbortController()
  let batches = 0
  const run = runTests(await plan([ndcg]), {
    signal: controller.signal,
    async batch(_, requests) {
      batches++
      controller.abort()
      return requests.map(() => resultsWith())
    },
  })
  await assert.rejects(run, { name: 'AbortError' })
  assert.ok(batches <= 2)
})

test('a test without its judgments is broken, and the others are planned', async () => {
  const planned = await planTests(file([ndcg, { query: 'word 1', expect: ['1'], endpoint: 'search' }]), {
    ...sources,
    readJudgments() {
      throw new Error('no file')
    },
  })
  assert.deepEqual(planned.map(isBroken), [true, false])
})
