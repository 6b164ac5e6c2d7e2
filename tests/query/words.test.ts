/** Stop words, codes and parts of words (docs/describe-your-search.md, Stop words, Codes and match). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type StartedServer, startServer } from '#tests/support/started-server'

const workspace = 'words'
const definition = (stopWords: readonly string[], synonyms: readonly (readonly string[])[] = []) => ({
  workspace,
  collections: {
    parts: {
      language: 'english',
      fields: { name: { type: 'text', suggest: true }, sku: { type: 'text', codes: true, suggest: true } },
      ...(stopWords.length > 0 && { stopWords }),
      ...(synonyms.length > 0 && { synonyms }),
    },
    home: {
      fields: {
        nl: { type: 'text', language: 'dutch' },
        de: { type: 'text', language: 'german' },
        sv: { type: 'text', language: 'swedish' },
      },
    },
  },
  apis: {
    home: {
      access: 'public',
      endpoints: {
        search: { kind: 'match', collection: 'home' },
        strict: { kind: 'match', collection: 'home', matching: 'all', prefix: true },
        inside: { kind: 'match', collection: 'home', contains: true },
      },
    },
    parts: {
      access: 'public',
      endpoints: {
        strict: { kind: 'match', collection: 'parts', matching: 'all' },
        box: { kind: 'match', collection: 'parts', prefix: true, typos: true, matching: 'relaxed' },
      },
    },
  },
})

let server: StartedServer
before(async () => {
  server = await startServer()
  await server.applyWorkspace(JSON.stringify(definition([])))
  await server.importDocuments(workspace, 'parts', [
    { id: '1', name: 'Valve of steel', sku: 'AX-100/B' },
    { id: '2', name: 'Valve of tin', sku: 'AX-100/C' },
    { id: '3', name: 'Train via Rome', sku: '7' },
  ])
  await server.importDocuments(workspace, 'home', [
    { id: '1', nl: 'Waterkoker van staal', de: 'Wasserkocher aus Stahl', sv: 'Vattenkokare' },
    { id: '2', nl: 'Hondenmand', de: 'Hundekorb', sv: 'Hundkorg' },
    { id: '3', nl: 'Pijlenkokers', de: 'Wasser und Hunde', sv: 'vatten, hundar' },
    { id: '4', nl: 'Bestellingsformulier', de: 'Bestellungsformular', sv: 'Formulär' },
  ])
})
after(() => server.stop())

interface Reply {
  items: { tuple: [{ id: string }] }[]
  relaxed?: string[]
}
const find = async (path: string, api = 'parts'): Promise<string[]> => {
  const response = await fetch(`${server.baseUrl}/4/${workspace}/api/${api}/e/${path}/results`)
  assert.equal(response.status, 200, await response.clone().text())
  const { items } = (await response.json()) as Reply
  return items.map(({ tuple: [{ id }] }) => id.slice(id.lastIndexOf(':') + 1)).sort()
}

test('a code is found however it is written, and no typo turns it into another', async () => {
  for (const text of ['AX100B', 'ax 100 b', 'ax100/b', 'AX-100/B']) {
    const path = `p/query/${encodeURIComponent(text)}`
    assert.deepEqual(await find(`strict/${path}`), ['1'], text)
    assert.deepEqual(await find(`box/${path}`), ['1'], text)
  }
  assert.deepEqual(await find('box/p/query/ax100'), ['1', '2'])
  assert.deepEqual(await find('box/p/query/ax100d'), [])
})

test('stop words of a collection are ignored without a new generation', async () => {
  const status = async () => (await fetch(`${server.baseUrl}/4/${workspace}/api/parts/status`)).json()
  const oldStatus = await status()
  assert.deepEqual(await find('strict/p/query/steel%20via%20valve'), [])
  await server.applyWorkspace(JSON.stringify(definition(['Via', 'etc.'])))
  assert.deepEqual(await status(), oldStatus)
  for (const text of ['steel via valve', 'VIA steel', 'steel, via:', 'steel etc'])
    assert.deepEqual(await find(`strict/p/query/${encodeURIComponent(text)}`), ['1'], text)
  assert.deepEqual(await find('strict/p/query/via'), ['3'])
  assert.deepEqual(await find('strict/p/query/%22via%20rome%22'), ['3'])
  const exported = await server.run(['export', workspace])
  assert.match(JSON.stringify(exported), /stopWords/)
})

test('synonyms apply from the next query on, without a new generation', async () => {
  const status = async () => (await fetch(`${server.baseUrl}/4/${workspace}/api/parts/status`)).json()
  const oldStatus = await status()
  assert.deepEqual(await find('strict/p/query/faucet'), [])
  await server.applyWorkspace(JSON.stringify(definition([], [['valve', 'faucet', 'tap']])))
  assert.deepEqual(await find('strict/p/query/faucet'), ['1', '2'])
  assert.deepEqual(await find('box/p/query/faucte'), ['1', '2'])
  await server.applyWorkspace(JSON.stringify(definition([], [['train', 'faucet']])))
  assert.deepEqual(await find('strict/p/query/faucet'), ['3'])
  await server.applyWorkspace(JSON.stringify(definition([])))
  assert.deepEqual(await find('strict/p/query/faucet'), [])
  assert.deepEqual(await status(), oldStatus)
})

test('a compound is found by its parts, if the others are known words', async () => {
  for (const endpoint of ['search', 'strict'])
    for (const [text, ids] of [
      ['koker', ['1', '3']],
      ['kokers', ['1', '3']],
      ['water', ['1']],
      ['mand', ['2']],
      ['hond', ['2']],
      ['formulier', ['4']],
      ['bestelling', ['4']],
      ['kocher', ['1']],
      ['korb', ['2']],
      ['kokare', ['1']],
      ['korg', ['2']],
      ['ater', []],
      ['ellung', []],
    ] as const)
      assert.deepEqual(await find(`${endpoint}/p/query/${text}`, 'home'), ids, `${endpoint} ${text}`)
  assert.deepEqual(await find('inside/p/query/ater', 'home'), ['1'])
})
