import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { listen, openApp } from '#http/server'
import { createDocsSearch, type DocsResult, type DocsSearch } from './docs-search.ts'
import { docsSearchPath, registerDocsSearch } from './register.ts'

const section = (page: string, title: string, text: string) => ({
  ...{ id: `${page}/${title}`, page, title, guide: 'Guide', address: `/console/docs/${page}.html#${title}` },
  ...{ text, code: ['npx querent <x>'] },
})
const sections = [
  section('describe', 'Synonyms', 'Words that match each other: a <b>car</b> is an automobile.'),
  section('reference/commands', 'Rotate keys', 'Rotate the keys.'),
  section('operate', 'Rotate keys', 'Rotate the keys of a server without an outage.'),
  section('describe', 'Add and remove endpoints', 'An endpoint has a kind and a name.'),
  section('people', 'Members', 'querent members add makes a member.'),
]

let folder: string
let docsSearch: DocsSearch
let app: FastifyInstance
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'querent-test-'))
  const file = join(folder, 'sections.ndjson')
  writeFileSync(file, sections.map(line => `${JSON.stringify(line)}\n`).join(''))
  const indexFolder = join(folder, 'docs-search')
  // A killed server left this.
  mkdirSync(join(indexFolder, 'docs'), { recursive: true })
  writeFileSync(join(indexFolder, 'docs', 'documents.db'), 'cut')
  docsSearch = createDocsSearch(file, indexFolder)
  const settings = { logLevel: 'silent' as const, logStream: process.stderr, trustedProxy: [] }
  const listening = await listen('127.0.0.1', 0)
  app = openApp(listening, settings).app
  registerDocsSearch(app, docsSearch)
  await app.ready()
  await listening.close()
})
after(async () => {
  await app?.close()
  rmSync(folder, { recursive: true, force: true })
})

const get = (query: string) => app.inject(`${docsSearchPath}${query}`)
const find = async (text: string): Promise<DocsResult[]> =>
  (await get(`?q=${encodeURIComponent(text)}`)).json().results

test('every beginning and misspelling of a task finds its page first', async () => {
  for (const text of ['syn', 'add syn', 'add synonyms', 'ad synonims', 'create synonyms'])
    assert.equal((await find(text))[0]?.title, 'Synonyms', text)
  const [first, second] = await find('how do I rotate my keys')
  assert.deepEqual([first?.page, second?.page], ['operate', 'reference/commands'])
  assert.deepEqual(await find('  '), [])
  assert.deepEqual(await find('zebra'), [])
})

test('a result has its page, its address, and the match in escaped HTML', async () => {
  const [result] = await find('car')
  assert.deepEqual(result, {
    ...{ page: 'describe', title: 'Synonyms', address: '/console/docs/describe.html#Synonyms' },
    snippet: 'Words that match each other: a &lt;b&gt;<mark>car</mark>&lt;/b&gt; is an automobile.',
  })
})

test('a text that is too long or given twice is refused by name', async () => {
  for (const query of [`?q=${'a'.repeat(101)}`, '?q=a&q=b']) {
    const reply = await get(query)
    assert.deepEqual([reply.statusCode, reply.json().code], [400, 'bad-parameter'])
  }
})

test('an address that searches too often waits, and closing leaves no file', async () => {
  let reply = await get('')
  for (let count = 0; count < 300 && reply.statusCode === 200; count++) reply = await get('')
  assert.deepEqual([reply.statusCode, reply.json().code], [429, 'too-many-requests'])
  assert.match(String(reply.headers['retry-after']), /^\d+$/)
  await docsSearch.close()
  assert.deepEqual(readdirSync(folder), ['sections.ndjson'])
})
