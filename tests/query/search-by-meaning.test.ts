/** Search by meaning with vectors that the server makes (docs/search-by-meaning.md), on both storages. */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startTestEmbedder, type TestEmbedder, testDimensions } from '#server/embedding/test-embedder'
import { freshDatabase } from '#server/storage/test-postgres'
import { waitUntil } from '#server/test-wait'
import { type ServerProcess, startServerProcess } from '#tests/support/started-server'

const key = 'sk-very-secret-key'

const file = (fields = '[title, text]', extra = '') => `
workspace: library
collections:
  items:
    id: { field: id, uri: "https://items.example/{id}" }
    fields:
      title: { type: text }
      text: { type: text }
      kind: { type: keyword }
      meaning: { type: vector, dimensions: ${testDimensions}, embed: { fields: ${fields}, with: small } }
${extra}apis:
  library:
    access: public
    endpoints:
      search: { kind: match, collection: items }
      meaning: { kind: nearest, collection: items, field: meaning, minimum: 0.6 }
      kind: { kind: facet, field: kind }
      like: { kind: similar, collection: items, fields: [meaning] }
      best: { kind: mix, of: { search: 0.5, meaning: 0.5 } }
`

const items = [
  { id: 'auto', title: 'An automobile', kind: 'thing' },
  { id: 'stream', title: 'A stream', text: 'It flows.', kind: 'place' },
  { id: 'loaf', title: 'From the bakery', kind: 'thing' },
  { id: 'kitten', title: 'A kitten', kind: 'animal' },
  { id: 'empty', kind: 'nothing' },
]
const toLines = (documents: readonly unknown[]) => documents.map(one => JSON.stringify(one)).join('\n')

for (const storage of ['sqlite', 'postgres'] as const)
  describe(storage, () => {
    let embedder: TestEmbedder
    let server: ServerProcess
    before(async () => {
      embedder = await startTestEmbedder()
      const embedders = {
        small: {
          url: embedder.url,
          model: 'words',
          dimensions: testDimensions,
          key,
          batchSize: 8,
          timeLimit: '2s',
        },
      }
      process.env.QUERENT_EMBEDDERS = JSON.stringify(embedders)
      process.env.QUERENT_INTERNAL_HOSTS = embedder.host
      if (storage === 'postgres') process.env.QUERENT_STORAGE = await freshDatabase()
      server = await startServerProcess()
      await server.applyWorkspace(file())
    })
    after(async () => {
      delete process.env.QUERENT_EMBEDDERS
      delete process.env.QUERENT_INTERNAL_HOSTS
      delete process.env.QUERENT_STORAGE
      await server?.stop()
      await embedder?.close()
    })

    const get = async (path: string, headers: Record<string, string> = {}) => {
      const reply = await fetch(`${server.baseUrl}/4/library/api/library/${path}`, { headers })
      const text = await reply.text()
      return {
        status: reply.status,
        headers: reply.headers,
        body: text === '' ? undefined : JSON.parse(text),
      }
    }
    const find = async (path: string) => {
      const { status, body } = await get(`${path}/results`)
      assert.equal(status, 200, JSON.stringify(body))
      return body.items.map((item: { tuple: [{ id: string }] }) => item.tuple[0].id.split('/').at(-1))
    }
    const missing = async () => (await get('status')).body.missingVectors?.items
    const waitFor = (check: () => Promise<boolean>) =>
      waitUntil(check, async () => `${check}; missing: ${await missing()}\n${server.log()}`)
    const waitForVectors = () => waitFor(async () => (await missing()) === 0)
    const importItems = (documents: readonly unknown[], ...flags: string[]) =>
      server.run(['import', 'library', 'items', '-', ...flags], { input: toLines(documents) })
    const texts = () => embedder.requests.flatMap(request => request.texts)

    test('documents get their vectors, and a text finds what it means', async () => {
      await importItems(items)
      await waitForVectors()
      assert.deepEqual(await find('e/meaning/p/query/car'), ['auto'])
      assert.deepEqual(await find('e/meaning/p/query/river'), ['stream'])
      assert.deepEqual(await find('e/search/p/query/river'), [])
      assert.deepEqual(await find('e/best/p/query/river'), ['stream'])
      assert.deepEqual(await find('e/best/p/query/flows%20river'), ['stream'])
      assert.deepEqual(await find('e/meaning/p/query/car/e/kind:FILTER/p/value/place'), [])
      assert.deepEqual((await find('e/like/p/id/auto')).length, 3)
      assert.equal(embedder.requests[0]?.authorization, `Bearer ${key}`)
      assert.equal(embedder.requests[0]?.model, 'words')
    })

    test('the endpoint takes a text, and a mix passes it to both parts', async () => {
      const { body } = await get('')
      const parameters = Object.fromEntries(
        body.endpoints.map((one: { name: string; parameters: unknown }) => [one.name, one.parameters]),
      )
      const query = [{ name: 'query', type: 'string', required: true }]
      assert.deepEqual([parameters.meaning, parameters.best], [query, query])
      assert.equal((await get('e/meaning/p/vector/1,2/results')).status, 400)
      assert.equal((await find('e/best/p/query/')).length, items.length, 'a blank text matches everything')
    })

    test('highlights, facets, counts, statistics and cutoffs work on hybrid results', async () => {
      const path = 'e/best/p/query/automobile%20river'
      const [results, statistics] = (await get(`${path}/results,count?highlight=true`)).body
      assert.equal(statistics.total, 2)
      assert.deepEqual(results.items[0].highlights, { title: ['An <mark>automobile</mark>'] })
      assert.equal((await get(`${path}/count`)).body.total, 2)
      const { options } = (await get(`${path}/options/kind`)).body
      assert.deepEqual(options.map((one: { value: string }) => one.value).sort(), ['place', 'thing'])
      assert.equal((await get(`${path}/count?cutoff=0.99`)).body.total, 1)
    })

    test('replies leave the vectors out unless a request names them', async () => {
      const path = 'e/meaning/p/query/car/results'
      const [object] = (await get(path)).body.items[0].tuple
      assert.deepEqual(object, {
        id: 'https://items.example/auto',
        class: [],
        attributes: { title: 'An automobile', kind: 'thing' },
      })
      const [named] = (await get(`${path}?attributes=meaning`)).body.items[0].tuple
      assert.equal(named.attributes.meaning.length, testDimensions)
      const exported = await server.run(['documents', 'export', 'library', 'items']).catch(() => undefined)
      assert.ok(!JSON.stringify(exported ?? '').includes('meaning'))
    })

    test('a document whose text is unchanged keeps its vector', async () => {
      embedder.requests = []
      await importItems([
        { ...items[0], kind: 'vehicle' },
        { ...items[1], title: 'A song' },
      ])
      assert.deepEqual(await find('e/meaning/p/query/car'), ['auto'])
      await waitForVectors()
      assert.deepEqual(await find('e/meaning/p/query/music'), ['stream'])
      assert.deepEqual(
        texts().filter(text => text.includes('automobile')),
        [],
      )
      assert.deepEqual(
        texts().filter(text => text.includes('A song')),
        ['A song\nIt flows.'],
      )
      for (const flags of [['--update'], ['--update', '--strict']]) {
        embedder.requests = []
        await importItems([{ id: 'auto', kind: flags.join() }], ...flags)
        await waitForVectors()
        assert.deepEqual(
          texts().filter(text => text.includes('automobile')),
          [],
        )
        assert.deepEqual(await find('e/meaning/p/query/car'), ['auto'])
      }
      for (const flag of ['--replace', '--strict']) {
        embedder.requests = []
        await importItems(
          items.map(item => (item.id === 'loaf' ? { ...item, title: `Bread ${flag}` } : item)),
          flag,
        )
        await waitForVectors()
        const relevant = texts().filter(text => /automobile|kitten|Bread/.test(text))
        assert.deepEqual(relevant, [`Bread ${flag}`])
        assert.deepEqual(await find('e/meaning/p/query/flour'), ['loaf'])
        assert.deepEqual(await find('e/meaning/p/query/car'), ['auto'])
      }
    })

    test('an import ignores vectors for the field', async () => {
      await importItems([{ ...items[3], meaning: 'anything' }])
      await waitForVectors()
      assert.deepEqual(await find('e/meaning/p/query/pet'), ['kitten'])
    })

    test('while the embedder fails, imports succeed, words find documents, and queries degrade', async () => {
      const tagged = await get('e/best/p/query/car/results')
      embedder.behavior = { status: 500 }
      await importItems([{ id: 'forest', title: 'A forest' }])
      assert.deepEqual(await find('e/search/p/query/forest'), ['forest'])
      await waitFor(async () => (await missing()) === 1)
      const failed = await get('e/meaning/p/query/vehicle/results')
      assert.equal(failed.status, 503)
      assert.ok(failed.headers.get('retry-after'))
      assert.ok(!JSON.stringify(failed.body).includes(embedder.host))
      for (const request of ['results', 'resultpage', 'count', 'statistics', 'results,count']) {
        const { status, body, headers } = await get(`e/best/p/query/forest%20wood/${request}`)
        assert.equal(status, 200)
        assert.deepEqual([body].flat()[0].degraded, ['meaning'], request)
        assert.equal(headers.get('etag'), null, 'a degraded reply must not be cached')
      }
      assert.deepEqual((await get('e/best/p/query/forest%20wood/options/kind')).body.degraded, ['meaning'])
      assert.deepEqual(await find('e/best/p/query/forest%20wood'), ['forest'])
      assert.equal(tagged.body.degraded, undefined)
      assert.ok(tagged.headers.get('etag'))
      embedder.behavior = 'well'
      await waitForVectors()
      await waitFor(async () => (await get('e/meaning/p/query/wood/results')).status === 200)
      assert.deepEqual(await find('e/meaning/p/query/wood'), ['forest'])
    })

    test('a query does not wait for an embedder that hangs', async () => {
      embedder.behavior = 'hang'
      const { status, body } = await get('e/best/p/query/forest%20bank/results')
      assert.equal(status, 200)
      assert.deepEqual(body.degraded, ['meaning'])
      embedder.behavior = 'well'
      await waitFor(async () => (await get('e/meaning/p/query/coin/results')).status === 200)
    })

    test('work that is left continues after the server was killed', async () => {
      embedder.behavior = { status: 503, retryAfter: '0' }
      await importItems([{ id: 'bank', title: 'A bank' }])
      await waitFor(async () => (await missing()) === 1)
      await server.kill()
      embedder.behavior = 'well'
      await server.restart()
      await waitForVectors()
      assert.deepEqual(await find('e/meaning/p/query/money'), ['bank'])
    })

    test('a rejected text delays no other document', async () => {
      embedder.poison = 'poison'
      await importItems([
        { id: 'bad', title: 'poison' },
        { id: 'good', title: 'melody' },
      ])
      await waitFor(async () => (await find('e/meaning/p/query/song')).includes('good'))
      // The status may follow the search.
      await waitFor(async () => (await missing()) === 1)
      embedder.poison = undefined
      await importItems([{ id: 'bad', title: 'poison and bread' }])
      await waitForVectors()
    })

    test('a change of the text fields makes the vectors again, and other changes do not', async () => {
      embedder.requests = []
      await server.applyWorkspace(file('[title, text]', '    synonyms: [[a, b]]\n'))
      await waitForVectors()
      assert.deepEqual(
        texts().filter(text => text.includes('automobile')),
        [],
      )
      await server.applyWorkspace(file('[text]'))
      await waitForVectors()
      assert.deepEqual(await find('e/meaning/p/query/car'), [])
      await server.applyWorkspace(file())
      await waitForVectors()
      assert.deepEqual(await find('e/meaning/p/query/car'), ['auto'])
    })

    test('another model of the operator makes all vectors again', async () => {
      const embedders = process.env.QUERENT_EMBEDDERS ?? ''
      embedder.requests = []
      await server.shutDown()
      process.env.QUERENT_EMBEDDERS = embedders.replace('"words"', '"more-words"')
      await server.restart()
      await waitFor(async () => (await find('e/meaning/p/query/car')).length === 1)
      await waitForVectors()
      const documents = embedder.requests.filter(request =>
        request.texts.some(text => text.includes('automobile')),
      )
      assert.deepEqual(
        documents.map(({ model }) => model),
        ['more-words'],
      )
    })

    test('a workspace can only name an embedder that the operator configured, with its dimensions', async () => {
      const apply = (text: string) => server.applyWorkspace(text)
      await assert.rejects(apply(file().replace('with: small', 'with: huge')), /allowed: .*small/)
      await assert.rejects(
        apply(file().replace(`dimensions: ${testDimensions}`, 'dimensions: 3')),
        /allowed: 8/,
      )
      await assert.rejects(apply(file('[kind]')), /title, text/)
    })

    test('the key is in no log, and print-config hides it', async () => {
      assert.ok(!server.log().includes(key))
      const config = JSON.stringify(await server.run(['serve', '--print-config']))
      assert.ok(config.includes('words') && !config.includes(key))
    })

    test('the embedders may be in the configuration file', async () => {
      const path = join(dirname(server.data), 'querent.yaml')
      await writeFile(
        path,
        `embedders:\n  tiny: { url: "${embedder.url}", model: m, dimensions: 3, key: ${key} }\n`,
      )
      const value = process.env.QUERENT_EMBEDDERS
      delete process.env.QUERENT_EMBEDDERS
      const config = JSON.stringify(await server.run(['serve', '--print-config', '--config', path]))
      process.env.QUERENT_EMBEDDERS = value
      assert.match(config, /tiny: m at/)
      assert.ok((await readFile(path, 'utf8')).includes(key))
    })
  })
