import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { connect } from '#connection/connect'
import { standIn } from '#stand-in/querent'
import { curlCommands, formatSummary } from './summary.ts'

const run = promisify(execFile)
const account = { clientId: 'c-1', clientSecret: 'q_secret-_' }

test('the curl commands work in a shell: the first gets a token, the second searches with it', async t => {
  const urls: string[] = []
  const { data, origin, requests } = await standIn(t, ({ url }) => {
    urls.push(url)
    return { status: 200, body: { items: [] } }
  })
  const commands = curlCommands(await connect({ data }), account)
  const env = { ...process.env, no_proxy: '127.0.0.1' }
  const { stdout } = await run('sh', ['-c', `${commands.join('\n')}\nprintf %s "$TOKEN"`], { env })
  assert.equal(stdout, `{"items":[]}token for ${origin}`)
  assert.equal(
    requests[0]?.body,
    `grant_type=client_credentials&client_id=c-1&client_secret=q_secret-_&audience=${origin}`,
  )
  assert.deepEqual(urls, [
    '/4/dictionary/api/dictionary/e/search/p/query/large%20feline%20with%20stripes/results?count=3',
  ])
})

test('the demo prints results, commands, addresses, sign-in, how to stop, and its duration', async t => {
  const { data, origin } = await standIn(t, () => ({ status: 404 }))
  const attributes = { words: ['tiger'], definition: 'large feline' }
  const items = [
    { rank: 1, probability: 1, tuple: [{ id: 'https://wordnet.example/1-n', class: [], attributes }] },
  ]
  const words = formatSummary({
    connection: await connect({ data }),
    account,
    results: { offset: 0, count: 5, type: ['OBJ'], items },
    total: 1234,
    console: { url: `${origin}/console/`, email: 'admin@example.org', password: 'pass' },
    searchPage: 'http://127.0.0.1:4000/demo/',
    citiesPage: 'http://127.0.0.1:4000/demo/cities/',
    data: '/tmp/my demo',
    seconds: 12.34,
    keepsServing: true,
  })
  for (const part of [
    'tiger',
    '1 to 1 of 1,234',
    'TOKEN=$(curl',
    'Open http://127.0.0.1:4000/demo/',
    'Cities page    http://127.0.0.1:4000/demo/cities/',
    `${origin}/console/`,
    'password pass',
    'Ctrl-C',
  ])
    assert.ok(words.includes(part), part)
  assert.match(words, /Ready after 12\.3 s\. .* remove '\/tmp\/my demo'\.$/)
  assert.match(words, /WordNet 3\.1 Copyright 2011 by Princeton University; its license: \S+NOTICE/)
})
