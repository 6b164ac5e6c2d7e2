/** A member with a row filter sees the same as if the hidden documents did not exist (docs/people.md). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { type FilterField, readValues, stackPath } from '#tests/support/query-oracle'
import { closeRaw, type RawReply, rawRequest } from '#tests/support/query-raw'
import { narrowingSteps, sortSteps, stacks } from '#tests/support/query-stacks'
import {
  createCredentials,
  documentUri,
  makeDocuments,
  type RowFilter,
  setUpWorkspace,
  type TestDocument,
  words,
} from '#tests/support/query-things'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

const seed = 6
const marker = 'hiddenmarker'
const filterFields = ['tags', 'kind', 'size', 'flag'] as const

const isVisible = (document: TestDocument, filter: RowFilter): boolean =>
  Object.entries(filter).every(([field, allowed]) =>
    // The filters below use only these fields.
    readValues(document, field as FilterField).some(value => [allowed].flat().includes(value)),
  )

const plain = makeDocuments(250, 2028)
const value = (field: FilterField) =>
  fc.constantFrom(...plain.flatMap(document => readValues(document, field)))
const filters: Record<string, RowFilter> = Object.fromEntries(
  fc
    .sample(
      fc
        .record(
          {
            kind: fc.array(value('kind'), { minLength: 1, maxLength: 3 }),
            tags: fc.array(value('tags'), { minLength: 2, maxLength: 9 }),
            size: fc.oneof(fc.array(value('size'), { minLength: 1, maxLength: 4 }), value('size')),
            flag: value('flag'),
          },
          { requiredKeys: [] },
        )
        .filter(filter => {
          const visibleCount = plain.filter(document => isVisible(document, filter)).length
          return visibleCount > 5 && visibleCount < 150
        }),
      { seed, numRuns: 3 },
    )
    .map((filter, index): [string, RowFilter] => [`member${index}`, filter]),
)
filters.nobody = { kind: 'omega' }
const names = Object.keys(filters)

/** Every member gets the same things. Documents that they must not see say so in text, keywords and undeclared attributes. */
const markHidden = (filter: RowFilter): (TestDocument & { secret?: string })[] =>
  plain.map((document, index) =>
    isVisible(document, filter)
      ? document
      : {
          ...document,
          id: `${document.id}-${marker}${index}`,
          title: `${document.title} ${marker}${index}`,
          notes: [...document.notes, `${marker} zorv kumqat ${words[0]}${marker}`],
          tags: [...document.tags, `${marker}${index}`],
          secret: marker,
        },
  )
const findVisible = (name: string) => plain.filter(document => isVisible(document, filters[name] ?? {}))

let server: StartedServer
let tokens: Record<string, string>
before(async () => {
  server = await startServer(['--rate-limit', 'off'])
  await setUpWorkspace(
    server,
    'filtered',
    {
      ...Object.fromEntries(names.map(name => [`all-${name}`, markHidden(filters[name] ?? {})])),
      ...Object.fromEntries(names.map(name => [`seen-${name}`, findVisible(name)])),
    },
    { ...filters, everything: null },
  )
  tokens = Object.fromEntries(
    await Promise.all(
      [...names, 'everything'].map(async name => [
        name,
        await fetchToken(server, await createCredentials(server, 'filtered', name)),
      ]),
    ),
  )
})
after(async () => {
  closeRaw()
  await server.stop()
})

/** Searches every reply to a filtered member for hidden content. */
const ask = async (name: string, api: string, path: string): Promise<RawReply> => {
  const reply = await rawRequest(server.baseUrl, `/4/filtered/api/${api}/${path}`, {
    headers: { authorization: `Bearer ${tokens[name]}` },
  })
  const isAsked = decodeURIComponent(path.replaceAll(/%(?![0-9A-F]{2})/gi, '%25')).includes(marker)
  if (name !== 'everything' && !isAsked)
    assert.ok(!`${reply.text}${JSON.stringify(reply.headers)}`.includes(marker), `${name} ${path}`)
  return reply
}
/** The body, without the parts that differ between any two requests or collections. */
const comparable = ({ status, text }: RawReply) => ({
  status,
  text: text.replace(/"requestId":"[^"]*"/, '').replaceAll(/(all|seen)-(member\d|nobody)/g, 'things'),
})
/** Returns the member's reply where hidden documents exist, and the reply where they do not. */
const askBoth = async (name: string, path: string) => {
  const ownReply = await ask(name, `all-${name}`, path)
  const twin = await ask('everything', `seen-${name}`, path)
  return { own: comparable(ownReply), twin: comparable(twin) }
}

const requests = [
  'results?count=100',
  'results?count=7&offset=3',
  'results,count?count=20',
  'count',
  'statistics',
  'resultpage?count=100&homogeneousArrays=true',
  'resultitem?rank=2',
  'results?cutoff=0.5&count=100',
  'count?cutoff=0.3',
  'statistics?cutoff=0.3',
  ...filterFields.flatMap(field => [
    `options/${field}?count=100`,
    `options/${field}?count=100&multiselect=true`,
    `options/${field}?count=2&offset=1&cutoff=0.4`,
    `options/${field}?count=1000&query=${marker.slice(0, 1)}`,
    `options/${field}?query=a`,
    `e/${field}/results?count=100`,
    `e/${field}/statistics`,
    `e/${field}/count`,
  ]),
]
/** Stacks without free text. */
const exact = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: narrowingSteps(plain) },
    { weight: 1, arbitrary: sortSteps },
    { weight: 1, arbitrary: fc.constant({ kind: 'all' as const }) },
  ),
  { minLength: 1, maxLength: 3 },
)

test('each filter hides something, and the test would notice hidden content', async () => {
  assert.equal(names.length, 4)
  for (const name of names) {
    const allReply = await ask('everything', `all-${name}`, 'e/all/results,count?count=100')
    assert.ok(allReply.text.includes(marker), name)
    assert.deepEqual(JSON.parse((await ask(name, `all-${name}`, 'e/all/count')).text), {
      total: findVisible(name).length,
    })
  }
})

test('every reply to a stack of filters, ranges, lookups and sorts is the same as without the hidden documents', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...names),
      exact,
      fc.constantFrom(...requests),
      async (name, stack, request) => {
        const path = `${stackPath(stack)}/${request}`
        const { own, twin } = await askBoth(name, path)
        assert.deepEqual(own, twin, `${name} ${path}`)
      },
    ),
    { seed, numRuns: 500 },
  )
})

test('options over all documents, about, status and errors are the same as without the hidden documents', async () => {
  for (const name of names)
    for (const path of [
      ...filterFields.map(field => `options/${field}?count=100`),
      'options/added?count=100',
      '',
      'status',
      'e/nothing/results',
      'e/all/results?count=0',
      `e/all/resultitem?rank=${findVisible(name).length + 1}`,
      'e/tags/e/all/results',
    ]) {
      const { own, twin } = await askBoth(name, path)
      assert.deepEqual(own, twin, `${name} ${path}`)
    }
})

const textRequests = [
  'count',
  'results?count=100',
  'results?count=100&highlight=true',
  'resultpage?count=5&highlight=true',
  'resultitem',
  'statistics',
  'results,count',
  ...filterFields.map(field => `options/${field}?count=100`),
  'e/tags/results?count=100',
]
test('free text, prefixes, typos and mixes get the same replies and probabilities as without the hidden documents', async () => {
  const texts = fc.constantFrom(
    ...words,
    'zor',
    'zorv',
    'kumqat fjord',
    `-${words[1]}`,
    `${words[2]} ${words[3]}`,
    `"${words[4]} ${words[5]}"`,
    '',
  )
  const endpoints = fc.constantFrom('words', 'begun', 'misspelt', 'blend', 'blend-scores')
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...names),
      endpoints,
      texts,
      stacks(plain),
      async (name, endpoint, text, stack) => {
        for (const prefix of ['', `${stackPath(stack.slice(0, 2))}/`]) {
          const start = `${prefix}e/${endpoint}/p/query/${encodeURIComponent(text)}`
          const { own, twin } = await askBoth(name, `${start}/count`)
          assert.deepEqual(own, twin, `${name} ${start}`)
          for (const request of [
            'results?count=100&highlight=true',
            'results?cutoff=0.4&count=20',
            'statistics',
            'count?cutoff=0.7',
          ]) {
            const replies = await askBoth(name, `${start}/${request}`)
            assert.deepEqual(replies.own, replies.twin, `${name} ${start}/${request}`)
          }
          for (const field of filterFields) {
            const options = await askBoth(name, `${start}/options/${field}?count=100`)
            assert.deepEqual(options.own, options.twin, `${name} ${start}`)
          }
        }
      },
    ),
    { seed, numRuns: 40 },
  )
})

test('similar documents are the same as without the hidden documents', async () => {
  for (const name of names)
    for (const { id } of findVisible(name).slice(0, 30)) {
      const path = `e/like/p/id/${encodeURIComponent(id)}/results,count?count=100`
      const { own, twin } = await askBoth(name, path)
      assert.deepEqual(own, twin, `${name} ${path}`)
    }
})

test('values that only hidden documents have look like values that do not exist, in every request type', async () => {
  for (const name of names) {
    const hidden = markHidden(filters[name] ?? {}).find(({ title }) => title.includes(marker))
    assert.ok(hidden)
    const tag = hidden.tags.at(-1) ?? assert.fail()
    const id = encodeURIComponent(`1("${hidden.id.replaceAll(/["\\]/g, '\\$&')}")`)
    const ways: [asked: string, nowhere: string][] = [
      [`e/words/p/query/${marker}`, 'e/words/p/query/neverheardof'],
      [`e/words/p/query/${tag}`, 'e/words/p/query/neverheardof'],
      [`e/words/p/query/%22${tag}%20${marker}%22`, 'e/words/p/query/%22never%20heard%22'],
      [`e/begun/p/query/${marker.slice(0, 9)}`, 'e/begun/p/query/neverheardof'],
      [`e/misspelt/p/query/${marker.replace('m', 'n')}`, 'e/misspelt/p/query/neverheardof'],
      [`e/blend/p/query/${marker}`, 'e/blend/p/query/neverheardof'],
      [`e/tags:FILTER/p/value/${tag}`, 'e/tags:FILTER/p/value/neverheardof'],
      [`e/all/e/tags:FILTER/p/value/1(${tag},x)`, 'e/all/e/tags:FILTER/p/value/1(neverheardof,x)'],
      [`e/thing/p/id/${id}`, 'e/thing/p/id/neverheardof'],
      [
        `e/thing/p/id/${encodeURIComponent(documentUri(hidden.id).replace(/[(|"]/g, encodeURIComponent))}`,
        'e/thing/p/id/neverheardof',
      ],
      [`e/like/p/id/${encodeURIComponent(hidden.id)}`, 'e/like/p/id/neverheardof'],
      [`e/like/p/id/${encodeURIComponent(documentUri(hidden.id))}`, 'e/like/p/id/neverheardof'],
    ]
    for (const [hiddenStack, nowhere] of ways)
      for (const request of textRequests) {
        const filteredReply = await ask(name, `all-${name}`, `${hiddenStack}/${request}`)
        const unknownReply = await ask(name, `all-${name}`, `${nowhere}/${request}`)
        const stripped = (reply: RawReply) =>
          comparable(reply).text.replaceAll(tag, 'neverheardof').replaceAll(/"\?+"/g, '')
        assert.equal(filteredReply.status, unknownReply.status, hiddenStack)
        assert.equal(stripped(filteredReply), stripped(unknownReply), `${name} ${hiddenStack}/${request}`)
      }
  }
})

test('the ETag of one member is not valid for another', async () => {
  const path = `/4/filtered/api/all-member0/e/all/results`
  const get = (name: string, etag: string) =>
    rawRequest(server.baseUrl, path, {
      headers: { authorization: `Bearer ${tokens[name]}`, 'if-none-match': etag },
    })
  const tags = new Set<string>()
  for (const name of ['everything', ...names]) {
    const { headers } = await get(name, '"none"')
    const tag = String(headers.etag)
    assert.equal((await get(name, tag)).status, 304)
    for (const earlierTag of tags) assert.equal((await get(name, earlierTag)).status, 200, name)
    tags.add(tag)
  }
})

test('the documents address gives a member with a row filter no hidden documents', async () => {
  for (const name of names)
    for (const path of ['', `/${encodeURIComponent('t0')}`, '?count=100']) {
      const reply = await rawRequest(server.baseUrl, `/4/filtered/collections/all-${name}/documents${path}`, {
        headers: { authorization: `Bearer ${tokens[name]}` },
      })
      assert.equal(reply.status, 403)
      assert.ok(!reply.text.includes(marker))
    }
})
