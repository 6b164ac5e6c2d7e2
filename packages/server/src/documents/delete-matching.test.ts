import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { lines, openTestServer } from './test-server.ts'

describe('deletions', () => {
  let server: Awaited<ReturnType<typeof openTestServer>>
  before(async () => {
    server = await openTestServer()
    await server.redefine(previous => ({
      ...previous,
      collections: {
        ...previous.collections,
        offers: {
          fields: {
            kind: { type: 'keyword' },
            price: { type: 'number' },
            sold: { type: 'date' },
            'price.to': { type: 'number' },
            title: { type: 'text' },
          },
        },
        flags: {
          fields: {
            dryRun: { type: 'boolean' },
            'price.from': { type: 'keyword' },
            price: { type: 'number' },
          },
        },
      },
    }))
  })
  after(() => server.close())

  const offers = 'books/collections/offers/documents'
  const flags = 'books/collections/flags/documents'
  const remove = async (query: string, path = offers) => {
    const { status, body } = await server.call('ursula', 'DELETE', `${path}?${query}`)
    return status === 200 ? body : { status, code: body.code }
  }
  const listIds = async (path = offers) =>
    (await server.call('ada', 'GET', path)).body.items.map(({ id }: { id: string }) => id).join('')

  beforeEach(async () => {
    await server.call(
      'ada',
      'POST',
      `${offers}?replace=true`,
      lines(
        { id: 'a', kind: 'new', price: 10, sold: '2024-01-31T12:00:00Z' },
        { id: 'b', kind: 'used', price: 20, sold: '2024-02-01' },
        { id: 'c', kind: 'used', price: 0, 'price.to': 7 },
        { id: 'd', kind: ['old', 'new'] },
      ),
    )
  })

  describe('a deletion by fields', () => {
    it('takes several values of a field as alternatives, and all fields together', async () => {
      assert.deepEqual(await remove('kind=used&kind=old&dryRun=true'), { deleted: 3 })
      assert.deepEqual(await remove('kind=used&kind=old&price=20'), { deleted: 1 })
      assert.equal(await listIds(), 'acd')
    })
    it('takes ranges of numbers and dates, with both ends', async () => {
      assert.deepEqual(await remove('price.from=0&dryRun=true'), { deleted: 3 })
      assert.deepEqual(await remove('price.from=10&dryRun=true&kind=used&kind=new'), { deleted: 2 })
      assert.deepEqual(await remove('sold.from=2024-01-31&sold.to=2024-01-31&dryRun=true'), { deleted: 1 })
      assert.deepEqual(await remove('sold.to=2024-02-01'), { deleted: 2 })
      assert.equal(await listIds(), 'cd')
    })
    it('means the field that has the whole name', async () => {
      assert.deepEqual(await remove('price.to=7'), { deleted: 1 })
      await server.call(
        'ada',
        'POST',
        flags,
        lines({ id: 'x', dryRun: true, 'price.from': 'shop', price: 1 }, { id: 'y' }),
      )
      assert.deepEqual(await remove('price.from=shop&price.to=1&dryRun=true', flags), { deleted: 1 })
      assert.equal(await listIds(flags), 'y')
    })
    it('deletes nothing with an unknown field, a range of texts, an end given twice, or without a condition', async () => {
      for (const query of [
        '',
        'dryRun=true',
        'colour=red',
        'kind=used&colour.from=1',
        'kind.from=a',
        'title=x',
        'price.from=1&price.from=2',
        'price.from=cheap',
        'price=1&price=many',
      ])
        assert.deepEqual(await remove(query), { status: 400, code: 'bad-parameter' }, query)
      assert.equal(await listIds(), 'abcd')
    })
    it('finds what a list with the same conditions finds', async () => {
      const { body } = await server.call('ada', 'GET', `${offers}?kind=used&kind=old&price.from=5`)
      assert.deepEqual([body.total, body.items[0].id], [1, 'b'])
    })
  })
})
