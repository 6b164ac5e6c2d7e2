import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  type Bench,
  deadlineMs,
  library,
  makePlan,
  match,
  matchAll,
  putDocument,
  withCode,
} from './engine.suite.plans.ts'

/** Tests how generations are closed and reopened, and how searches are canceled. */
export function lifetimeSuite({ engine, generationWith, ids }: Bench): void {
  it('a released generation is unavailable until it is reopened with all its documents', async () => {
    const generation = await generationWith({ a: { title: 'wing' } })
    await engine().write(generation, [putDocument('b', { title: 'late wing' })])
    const { version } = engine().info(generation)
    await engine().release(generation)
    await engine().release(generation)
    assert.throws(() => engine().info(generation), withCode('unavailable'))
    await assert.rejects(
      engine().search(generation, makePlan([matchAll]), deadlineMs),
      withCode('unavailable'),
    )
    await assert.rejects(engine().write(generation, [putDocument('c', {})]), withCode('unavailable'))
    await engine().open(generation, library)
    assert.deepEqual(await ids(generation, makePlan([match('wing')])), ['a', 'b'])
    assert.ok(engine().info(generation).version >= version)
    await engine().release(generation)
    await engine().drop(generation)
    await engine().open(generation, library)
    assert.equal(engine().info(generation).documents, 0)
  })

  it('running searches complete when their generation is released', async () => {
    const generation = await generationWith({ a: { title: 'wing' } })
    const running = Array.from({ length: 20 }, () =>
      engine().search(generation, makePlan([match('wing')]), deadlineMs),
    )
    await engine().release(generation)
    for (const { total } of await Promise.all(running)) assert.equal(total, 1)
  })

  it('a canceled search ends as cancelled and frees its slot', async () => {
    const generation = await generationWith(
      Object.fromEntries(
        Array.from({ length: 2_000 }, (_, index) => [`d${index}`, { title: `wing ${index}` }]),
      ),
    )
    const plan = { ...makePlan([match('wing')]), count: 2_000 }
    // There are more than may wait, so canceled searches must no longer count.
    for (let round = 0; round < 5; round++) {
      const controller = new AbortController()
      const canceled = Array.from({ length: 200 }, () =>
        engine().search(generation, plan, deadlineMs, controller.signal),
      )
      controller.abort()
      const outcomes = await Promise.allSettled(canceled)
      const cancelled = outcomes.filter(one => one.status === 'rejected')
      for (const { reason } of cancelled) assert.ok(withCode('cancelled')(reason), String(reason))
      // A few may have been running, and those may complete.
      assert.ok(cancelled.length > 150, `${cancelled.length} of 200 were cancelled`)
      assert.equal((await engine().search(generation, plan, deadlineMs)).total, 2_000)
    }
  })

  it('a search with an aborted signal does not start, and an abort after the reply has no effect', async () => {
    const generation = await generationWith({ a: { title: 'wing' } })
    const plan = makePlan([match('wing')])
    await assert.rejects(
      engine().search(generation, plan, deadlineMs, AbortSignal.abort()),
      withCode('cancelled'),
    )
    const controller = new AbortController()
    assert.equal((await engine().search(generation, plan, deadlineMs, controller.signal)).total, 1)
    controller.abort()
    assert.equal((await engine().search(generation, plan, deadlineMs)).total, 1)
  })

  it('sorts by five keys, each for documents with equal previous keys', async () => {
    const fields = ['year', 'tag', 'added', 'good', 'title'] as const
    const values = {
      year: [1, 2],
      tag: ['p', 'q'],
      added: ['2020-01-01T00:00:00Z', '2021-01-01T00:00:00Z'],
      good: [false, true],
      title: ['a', 'b'],
    }
    const documents = Array.from({ length: 64 }, (_, index) => {
      const number = (index * 37) % 64
      const bits = fields.map((field, bit) => [field, values[field][(number >> (4 - bit)) & 1]])
      return [`${number % 32}-${number >> 5}`, Object.fromEntries(bits)] as const
    })
    const generation = await generationWith(Object.fromEntries(documents.slice(0, 40)))
    await engine().write(
      generation,
      documents.slice(40).map(([id, attributes]) => putDocument(id, attributes)),
    )
    await engine().refresh(generation)
    const order = fields.map(field => ({ by: 'field', field, order: 'ascending' }) as const)
    const expected = Array.from({ length: 64 }, (_, index) => `${index >> 1}-${index & 1}`)
    assert.deepEqual(await ids(generation, { ...makePlan([matchAll]), order }), expected)
    assert.deepEqual(
      await ids(generation, { ...makePlan([matchAll]), order, offset: 13, count: 9 }),
      expected.slice(13, 22),
    )
  })
}
