/** Requests to embedders: batches, limits, failures, and where they may be sent. */
import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { createEmbedders, EmbedderError, type EmbedderSettings } from './embedders.ts'
import { createQueryVectors } from './query-vectors.ts'
import { type Behavior, startTestEmbedder, testDimensions, testVector } from './test-embedder.ts'

const server = await startTestEmbedder()

const settings: EmbedderSettings = {
  url: server.url,
  model: 'words',
  dimensions: testDimensions,
  key: 'secret-key',
  batchSize: 3,
  timeLimitMs: 20_000,
}
const create = (changes: Partial<EmbedderSettings> = {}, internalHosts = [server.host]) => {
  const embedders = createEmbedders({ small: { ...settings, ...changes } }, { internalHosts })
  const embedder = embedders.get('small')
  if (!embedder) throw new Error('no embedder')
  return { embedder, vectors: createQueryVectors(embedders) }
}
const isUnavailable = (error: unknown) => error instanceof EmbedderError && error.kind === 'unavailable'

describe('embedders', () => {
  after(() => server.close())
  beforeEach(() =>
    Object.assign(server, {
      behavior: 'well',
      requests: [],
      poison: undefined,
      charsMax: 100_000,
      openMax: 0,
    }),
  )

  test('texts are embedded in batches, and vectors come in the order of the texts', async () => {
    const texts = ['a car', 'a river', 'a bank', 'a cat', 'a tree']
    const results = await create().embedder.embed(texts)
    assert.deepEqual(
      results,
      texts.map(text => Float32Array.from(testVector(text))),
    )
    assert.deepEqual(
      server.requests.map(request => request.texts.length),
      [3, 2],
    )
    assert.deepEqual(server.requests[0], {
      texts: texts.slice(0, 3),
      model: 'words',
      authorization: 'Bearer secret-key',
    })
  })

  test('a text that the model rejects fails alone, and a text that is too long is cut', async () => {
    server.poison = 'poison'
    const results = await create().embedder.embed(['a car', 'poison', 'a river'])
    assert.ok(results[1] instanceof EmbedderError && results[1].kind === 'rejected')
    assert.deepEqual(
      [results[0], results[2]],
      ['a car', 'a river'].map(testVector).map(one => Float32Array.from(one)),
    )
    server.charsMax = 1000
    const [cut] = await create().embedder.embed([`river ${'x '.repeat(3000)}`])
    assert.ok(cut instanceof Float32Array)
  })

  test('a reply that is not what was requested is a failure, and no error contains the key', async () => {
    const behaviors: Behavior[] = [
      'garbage',
      'not-json',
      'wrong-dimensions',
      'wrong-count',
      'repeated-index',
      'text-instead-of-numbers',
      'too-long',
      'redirect',
      { status: 500 },
      { status: 401 },
    ]
    for (const behavior of behaviors) {
      server.behavior = behavior
      await assert.rejects(create().embedder.embed(['a car', 'a river']), error => {
        assert.ok(isUnavailable(error), `${JSON.stringify(behavior)} ${error}`)
        return !String(error).includes('secret-key')
      })
    }
    assert.equal(server.requests.length, behaviors.length, 'redirects are not followed')
  })

  test('an embedder that hangs fails at the time limit', async () => {
    server.behavior = 'hang'
    await assert.rejects(create({ timeLimitMs: 200 }).embedder.embed(['a car']), isUnavailable)
  })

  test('Retry-After pauses all requests, and five failures in a row open the circuit', async () => {
    server.behavior = { status: 429, retryAfter: '120' }
    const limited = create().embedder
    await assert.rejects(limited.embed(['a car']), isUnavailable)
    assert.ok(limited.pauseMs() > 100_000)
    await assert.rejects(limited.embed(['a car']), isUnavailable)
    assert.equal(server.requests.length, 1)
    server.behavior = { status: 500 }
    const failing = create().embedder
    for (let attempt = 0; attempt < 8; attempt++)
      await assert.rejects(failing.embed(['a car']), isUnavailable)
    assert.equal(server.requests.length, 1 + 5)
  })

  test('an open circuit lets one probe through after its pause, and closes when it succeeds', () => {
    let now = 0
    const breaker = createCircuitBreaker(() => now)
    for (let failure = 0; failure < 5; failure++) {
      assert.equal(breaker.enter(), 0)
      breaker.fail()
    }
    const pause = breaker.enter()
    assert.ok(pause > 0)
    now += pause
    assert.equal(breaker.enter(), 0)
    assert.ok(breaker.enter() > 0, 'one probe at a time')
    breaker.fail()
    assert.ok(breaker.waitMs() > pause)
    now += breaker.waitMs()
    assert.equal(breaker.enter(), 0)
    breaker.succeed()
    assert.deepEqual([breaker.enter(), breaker.enter()], [0, 0])
    breaker.fail(1e12)
    assert.ok(breaker.waitMs() <= 300_000, 'a service cannot pause forever')
  })

  test('private addresses need an internal host, and only those may use http', async () => {
    for (const hosts of [[], ['127.0.0.2'], [`127.0.0.1:${Number(server.host.split(':')[1]) + 1}`]])
      await assert.rejects(create({}, hosts).embedder.embed(['a car']), isUnavailable)
    const localhost = create({ url: server.url.replace('127.0.0.1', 'localhost') }, [server.host])
    await assert.rejects(localhost.embedder.embed(['a car']), isUnavailable)
    assert.equal(server.requests.length, 0)
  })

  test('texts of queries share requests and are cached', async () => {
    const { vectors } = create()
    const find = (text: string) => vectors.find('small', testDimensions, text, 20_000)
    const foundVectors = await Promise.all(['a car', 'a river', 'a car', 'a bank'].map(find))
    assert.deepEqual(foundVectors[0], foundVectors[2])
    assert.deepEqual(
      server.requests.map(({ texts }) => texts),
      [['a car', 'a river', 'a bank']],
    )
    await find('a bank')
    assert.equal(server.requests.length, 1)
  })

  test('queries have few requests at once, and fail within their time', async () => {
    server.behavior = { slowMs: 20 }
    const { vectors } = create()
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        vectors.find('small', testDimensions, `text ${index}`, 20_000),
      ),
    )
    assert.ok(server.openMax <= 4, `${server.openMax}`)
    assert.ok(server.requests.length <= 21, `${server.requests.length}`)
    server.behavior = 'hang'
    await assert.rejects(vectors.find('small', testDimensions, 'hanging', 100), isUnavailable)
    await assert.rejects(vectors.find('other', testDimensions, 'a car', 100), isUnavailable)
    await assert.rejects(vectors.find('small', testDimensions + 1, 'a car', 100), isUnavailable)
  })
})
