/** The limits of the size of replies (docs/limits.md), with an engine that counts what it is asked for. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { openTestParts } from '#authz/test-tokens'
import type { Engine, Plan, Reply } from '#engines/engine'
import { createReplySizes } from '#http/reply-size'
import { createWorkspace } from '#storage/workspaces'
import { chooseRuns } from '#test-runs'
import { batchMax } from './batch.ts'
import type { QueryDependencies } from './query-context.ts'
import { serveQueries } from './test-service.ts'

const mebibyte = 1024 * 1024
/** The attributes of each document of the collection. */
let attributes: (index: number) => object
let documents: number
let version: number
/** Characters that each search returned. */
let searched: number[]
let onSearch: () => void

const engine = {
  version: () => version,
  isOpened: () => true,
  async search(_id: string, { offset, count, after }: Plan): Promise<Reply> {
    onSearch()
    const start = after ? Number(after) : offset
    const end = Math.min(documents, start + count)
    const hits = Array.from({ length: Math.max(0, end - start) }, (_, index) => ({
      entity: JSON.stringify({ id: `i${start + index}`, class: [], attributes: attributes(start + index) }),
      score: 1,
    }))
    searched.push(hits.reduce((characters, { entity }) => characters + entity.length, 0))
    return {
      total: documents,
      best: 1,
      hits,
      ...(after !== undefined && end < documents && { next: String(end) }),
    }
  },
} as unknown as Engine

describe('replies', () => {
  const closers: (() => Promise<unknown>)[] = []
  let base: string
  let serve: (deps?: Partial<QueryDependencies>) => Promise<{ url: string }>
  before(async () => {
    const parts = await openTestParts()
    closers.push(() => parts.close())
    for (const workspace of ['books', 'films'])
      await parts.storage.write(writer =>
        createWorkspace(writer, {
          workspace,
          collections: { all: { fields: { title: { type: 'text' } } } },
          apis: { open: { access: 'public', endpoints: { all: { kind: 'all', collection: 'all' } } } },
        }),
      )
    let generation = 0
    serve = async deps => {
      const service = await serveQueries({
        ...parts,
        engine,
        // The sizes of documents of another generation are unknown.
        generation: async () => ({ id: `g${generation++}`, name: '1' }),
        usageLog: { record: () => {} },
        clientAddress: request => request.headers['x-test-address']?.toString() ?? '127.0.0.1',
        queryTimeoutMs: 60_000,
        concurrentMax: 64,
        waitingMax: 64,
        ...deps,
      })
      closers.push(service.close)
      return { url: `http://127.0.0.1:${service.port}/4` }
    }
    base = (await serve()).url
  })
  after(async () => {
    for (const close of closers.reverse()) await close()
  })
  beforeEach(() => {
    documents = 1000
    version = 1
    searched = []
    onSearch = () => {}
    attributes = index => ({ title: `title ${index}` })
  })

  const get = (path: string) => fetch(`${base}/books/api/open/e/all/${path}`)
  const largest = (count: number) => ({ title: 'x'.repeat(mebibyte - 100), count })

  describe('the size of a reply', () => {
    for (const format of chooseRuns(['json', 'rdf'], ['json', 'csv', 'xlsx', 'xml', 'rdf']))
      it(`is at most 64 MiB as ${format}, and documents beyond it are not read`, async () => {
        attributes = largest
        const reply = await get(`results?count=1000&format=${format}`)
        assert.equal(reply.status, 400)
        const body = (await reply.json()) as { code: string }
        assert.equal(body.code, 'reply-too-large')
        const characters = searched.reduce((sum, count) => sum + count, 0)
        assert.ok(characters < 100 * mebibyte, `${characters} characters read`)
      })

    it('counts what a format makes of the documents', async () => {
      // An address of 250 characters for each value of a few.
      attributes = () =>
        Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`a${'b'.repeat(200)}${i}`, 1]))
      assert.equal((await get('results?count=1000&format=json')).status, 200)
      const reply = await get('results?count=1000&format=rdf')
      assert.deepEqual(
        [reply.status, ((await reply.json()) as { code: string }).code],
        [400, 'reply-too-large'],
      )
    })

    it('is that of all queries of a batch together', async () => {
      attributes = largest
      const reply = await fetch(`${base}/books/api/open/batch`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ requests: Array.from({ length: batchMax }, () => 'e/all/results?count=20') }),
      })
      const text = await reply.text()
      assert.equal(reply.status, 200)
      assert.ok(text.length < 65 * mebibyte, `${text.length} characters`)
      const { responses } = JSON.parse(text) as { responses: { status: number; body: { code?: string } }[] }
      assert.equal(responses.length, batchMax)
      const outcomes = new Set(responses.map(({ status, body }) => `${status} ${body.code}`))
      assert.deepEqual([...outcomes].sort(), ['200 undefined', '400 reply-too-large'])
    })

    it('is at most 4 MiB for agents, and the tool says so', async () => {
      attributes = largest
      const call = async (count: number) => {
        const reply = await fetch(`${base}/books/api/open/mcp`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: { name: 'all', arguments: { count } },
          }),
        })
        return (await reply.json()) as { result: { isError?: boolean; content: { text: string }[] } }
      }
      const { result } = await call(50)
      assert.equal(result.isError, true)
      assert.match(result.content[0]?.text ?? '', /4 MiB/)
      assert.equal((await call(2)).result.isError, undefined)
    })

    it('is limited for an account that does not read its replies, and for nobody else', async () => {
      attributes = largest
      const open = (workspace: string, address: string) =>
        fetch(`${base}/${workspace}/api/open/e/all/results?count=60`, {
          headers: { 'x-test-address': address, 'accept-encoding': 'identity' },
        })
      const unread = [await open('books', '192.0.2.1'), await open('books', '192.0.2.1')]
      assert.deepEqual(
        unread.map(({ status }) => status),
        [200, 200],
      )
      const third = await open('books', '192.0.2.1')
      assert.deepEqual(
        [third.status, ((await third.json()) as { code: string }).code],
        [429, 'too-many-requests'],
      )
      const otherReply = await open('films', '192.0.2.2')
      assert.equal(otherReply.status, 200)
      for (const reply of [...unread, otherReply]) await reply.body?.cancel()
      // The connections end at some later time.
      while ((await open('books', '192.0.2.1').then(reply => reply.text().then(() => reply.status))) !== 200);
    })

    const openLarge = (url: string) =>
      fetch(`${url}/books/api/open/e/all/results?count=60`, { headers: { 'accept-encoding': 'identity' } })

    it('no longer counts when the client has read nothing for a while, and the reply is canceled', async () => {
      attributes = largest
      const { url } = await serve({ openReplySize: createReplySizes({ workers: 1, stalledMsMax: 200 }) })
      const unread = [await openLarge(url), await openLarge(url)]
      // A client that the machine gives no time for a while is canceled too.
      const readStatus = async () => {
        const reply = await openLarge(url)
        await reply.text()
        return reply.status
      }
      while ((await readStatus().catch(() => undefined)) !== 200);
      for (const reply of unread) await assert.rejects(reply.text())
    })

    it('counts in each worker for its share of the limits, which has room for one reply', async () => {
      attributes = largest
      const { url } = await serve({ openReplySize: createReplySizes({ workers: 4 }) })
      const [first, second] = [await openLarge(url), await openLarge(url)]
      assert.deepEqual([first.status, second.status], [200, 429])
      assert.equal((await first.text()).length > 59 * mebibyte, true)
      await second.text()
    })
  })

  interface Results {
    items: { rank: number; tuple: { id: string }[] }[]
  }
  const readIds = async (reply: Response) =>
    ((await reply.json()) as Results).items.map(({ rank, tuple }) => [rank, tuple[0]?.id])
  const expectedIds = (start: number, count: number) =>
    Array.from({ length: count }, (_, index) => [start + index + 1, `i${start + index}`])

  describe('a page that is read in slices', () => {
    it('has all documents in order, with an offset and with a cursor', async () => {
      documents = 1500
      assert.deepEqual(await readIds(await get('results?count=1000')), expectedIds(0, 1000))
      assert.ok(searched.length > 1)
      assert.deepEqual(await readIds(await get('results?count=1000&offset=700')), expectedIds(700, 800))
      const first = await get('results?count=1000&cursor=*')
      const next = /cursor=([^>&]+)/.exec(first.headers.get('link') ?? '')?.[1]
      assert.deepEqual(await readIds(first), expectedIds(0, 1000))
      const second = await get(`results?count=1000&cursor=${next}`)
      assert.equal(second.headers.get('link'), null)
      assert.deepEqual(await readIds(second), expectedIds(1000, 500))
    })

    it('is read again when documents change meanwhile', async () => {
      let searches = 0
      onSearch = () => {
        searches += 1
        if (searches !== 2) return
        version += 1
        attributes = () => ({ title: 'changed' })
      }
      const { items } = (await (await get('results?count=1000')).json()) as {
        items: { tuple: { attributes: { title: string } }[] }[]
      }
      assert.equal(items.filter(({ tuple }) => tuple[0]?.attributes.title === 'changed').length, 1000)
    })
  })

  describe('queries of other workspaces', () => {
    for (const path of [
      'results?count=1000&attributes=c1',
      'resultpage?count=1000',
      ...chooseRuns(['xlsx'], ['csv', 'xlsx', 'xml', 'rdf']).map(
        format => `results?count=1000&format=${format}`,
      ),
    ])
      it(`are answered while a large reply is made: ${path}`, async () => {
        attributes = index =>
          Object.fromEntries(
            Array.from({ length: path.includes('format') ? 100 : 300 }, (_, i) => [
              `c${i}`,
              `=v ${index} ${i}`,
            ]),
          )
        // The thread and its modules are there already.
        await (await get(`results?count=30&${path.split('&')[1] ?? ''}`)).arrayBuffer()
        let isOver = false
        const large = get(path).finally(() => {
          isOver = true
        })
        let answerCount = 0
        while (!isOver) {
          const reply = await fetch(`${base}/films/api/open/e/all/count`)
          await reply.text()
          if (!isOver) answerCount += 1
        }
        const reply = await large
        assert.equal(reply.status, 200)
        await reply.arrayBuffer()
        // In one step of the main thread, the first of them would wait for the large reply.
        assert.ok(answerCount >= 3, `${answerCount} answered`)
      })
  })
})
