/** Results that are exported as csv import as the same documents (docs/import-data.md). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

const fields = `
    fields:
      title: { type: text }
      tags: { type: keyword }
      size: { type: number }
      flag: { type: boolean }
      added: { type: date }
      place: { type: geo }
      extra: { type: object }
      shape: { type: vector, dimensions: 2 }
      rank: { type: number }`
let server: StartedServer
let token: string
before(async () => {
  server = await startServer(['--rate-limit', 'off'])
  const input = `
workspace: round
collections:
  first:${fields}
  second:${fields}
apis:
  round:
    access: public
    endpoints:
      first: { kind: all, collection: first }
      second: { kind: all, collection: second }
`
  await server.applyWorkspace(input)
  const account = await server.createAccount('round', 'loader', 'data-provider')
  token = await fetchToken(server, account)
})
after(() => server.stop())

const load = async (collection: string, type: string, body: string) => {
  const reply = await fetch(`${server.baseUrl}/4/round/collections/${collection}/documents?replace=true`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
    body,
  })
  const text = await reply.text()
  assert.equal(reply.status, 200, text)
  assert.equal(JSON.parse(text).rejected, 0, text)
}
const stored = async (collection: string) => {
  const reply = await fetch(`${server.baseUrl}/4/round/api/round/e/${collection}/results?count=100`)
  const { items } = JSON.parse(await reply.text()) as { items: { tuple: [unknown] }[] }
  return items.map(({ tuple }) => tuple[0])
}

const text = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc
      .array(fc.constantFrom('a', '|', '"', '[', ',', ';', "'", '=', '-', ' ', '\n', '\r', '\\'), {
        minLength: 1,
      })
      .map(all => all.join('')),
  )
  .filter(one => one.isWellFormed() && !one.includes('\0'))
/** A list with one value comes back as that value. */
const oneOrMany = <T>(one: fc.Arbitrary<T>) => fc.oneof(one, fc.array(one, { minLength: 2, maxLength: 3 }))
const degrees = (maximum: number) =>
  fc
    .oneof(
      fc.double({ min: -maximum, max: maximum, noNaN: true }),
      fc.integer({ min: -maximum, max: maximum }),
    )
    .map(one => one + 0)
const document = fc.record(
  {
    title: text,
    tags: oneOrMany(text),
    size: oneOrMany(fc.double({ noNaN: true, noDefaultInfinity: true }).map(one => one + 0)),
    flag: oneOrMany(fc.boolean()),
    added: oneOrMany(
      fc.constantFrom('2024-01-31', '1969-07-20T20:17:40Z', '2024-01-31t12:00:00.123456789+02:00'),
    ),
    place: oneOrMany(
      fc.record({ lat: degrees(90), lon: degrees(180), name: text }, { requiredKeys: ['lat', 'lon'] }),
    ),
    extra: oneOrMany(fc.dictionary(text, fc.oneof(text, fc.integer(), fc.array(text)))),
    shape: fc.tuple(fc.integer(), fc.integer()),
    rank: fc.integer(),
    other: text,
  },
  { requiredKeys: [] },
)

test('every document survives a csv export and import, whatever its values', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(document, { minLength: 1, maxLength: 40 }), async documents => {
      const documentsWithIds = documents.map((one, index) => ({
        id: `https://round.example/${index}`,
        ...one,
      }))
      await load('first', 'application/x-ndjson', documentsWithIds.map(one => JSON.stringify(one)).join('\n'))
      const csv = await fetch(`${server.baseUrl}/4/round/api/round/e/first/results?format=csv&count=100`)
      assert.equal(csv.status, 200)
      await load('second', 'text/csv', await csv.text())
      assert.deepEqual(await stored('second'), await stored('first'))
    }),
    { numRuns: 25, seed: 9 },
  )
})
