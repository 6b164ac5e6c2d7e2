import assert from 'node:assert/strict'
import { it } from 'node:test'
import { all, type Bench, deadlineMs, library, match, planOf, put, withCode } from './engine.suite.plans.ts'

/** How generations are closed and opened again, and searches given up. */
export function lifetimeSuite({ engine, generationWith, ids }: Bench): void {
  it('a released generation is as if it were not there, until it is opened again with all that it had', async () => {
    const generation = await generationWith({ a: { title: 'wing' } })
    await engine().write(generation, [put('b', { title: 'late wing' })])
    const { version } = engine().info(generation)
    await engine().release(generation)
    await engine().release(generation)
    assert.throws(() => engine().info(generation), withCode('unavailable'))
    await assert.rejects(engine().search(generation, planOf([all]), deadlineMs), withCode('unavailable'))
    await assert.rejects(engine().write(generation, [put('c', {})]), withCode('unavailable'))
    await engine().open(generation, library)
    assert.deepEqual(await ids(generation, planOf([match('wing')])), ['a', 'b'])
    assert.ok(engine().info(generation).version >= version)
    await engine().release(generation)
    await engine().drop(generation)
    await engine().open(generation, library)
    assert.equal(engine().info(generation).documents, 0)
  })

  it('searches that run on a generation end as they would when it is released', async () => {
    const generation = await generationWith({ a: { title: 'wing' } })
    const running = Array.from({ length: 20 }, () =>
      engine().search(generation, planOf([match('wing')]), deadlineMs),
    )
    await engine().release(generation)
    for (const { total } of await Promise.all(running)) assert.equal(total, 1)
  })

  it('a search that is given up ends as cancelled, and makes room for others', async () => {
    const generation = await generationWith(
      Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`d${at}`, { title: `wing ${at}` }])),
    )
    const plan = { ...planOf([match('wing')]), count: 2_000 }
    // More than may wait: those that are given up count no longer.
    for (let round = 0; round < 5; round++) {
      const gone = new AbortController()
      const givenUp = Array.from({ length: 200 }, () =>
        engine().search(generation, plan, deadlineMs, gone.signal),
      )
      gone.abort()
      const outcomes = await Promise.allSettled(givenUp)
      const cancelled = outcomes.filter(one => one.status === 'rejected')
      for (const { reason } of cancelled) assert.ok(withCode('cancelled')(reason), String(reason))
      // A few may be running; one that runs may be done.
      assert.ok(cancelled.length > 150, `${cancelled.length} of 200 were cancelled`)
      assert.equal((await engine().search(generation, plan, deadlineMs)).total, 2_000)
    }
  })

  it('a search whose signal was aborted before is not begun; one that is answered is not cancelled', async () => {
    const generation = await generationWith({ a: { title: 'wing' } })
    const plan = planOf([match('wing')])
    await assert.rejects(
      engine().search(generation, plan, deadlineMs, AbortSignal.abort()),
      withCode('cancelled'),
    )
    const later = new AbortController()
    assert.equal((await engine().search(generation, plan, deadlineMs, later.signal)).total, 1)
    later.abort()
    assert.equal((await engine().search(generation, plan, deadlineMs)).total, 1)
  })

  it('five keys and more decide the order, each where those before it agree', async () => {
    const fields = ['year', 'tag', 'added', 'good', 'title'] as const
    const values = {
      year: [1, 2],
      tag: ['p', 'q'],
      added: ['2020-01-01T00:00:00Z', '2021-01-01T00:00:00Z'],
      good: [false, true],
      title: ['a', 'b'],
    }
    const documents = Array.from({ length: 64 }, (_, at) => {
      const number = (at * 37) % 64
      const bits = fields.map((field, bit) => [field, values[field][(number >> (4 - bit)) & 1]])
      return [`${number % 32}-${number >> 5}`, Object.fromEntries(bits)] as const
    })
    const generation = await generationWith(Object.fromEntries(documents.slice(0, 40)))
    await engine().write(
      generation,
      documents.slice(40).map(([id, attributes]) => put(id, attributes)),
    )
    await engine().refresh(generation)
    const order = fields.map(field => ({ by: 'field', field, order: 'ascending' }) as const)
    const expected = Array.from({ length: 64 }, (_, at) => `${at >> 1}-${at & 1}`)
    assert.deepEqual(await ids(generation, { ...planOf([all]), order }), expected)
    assert.deepEqual(
      await ids(generation, { ...planOf([all]), order, offset: 13, count: 9 }),
      expected.slice(13, 22),
    )
  })
}
