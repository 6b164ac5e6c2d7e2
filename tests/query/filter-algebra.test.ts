/** Random filters, texts and batches, compared with plain JavaScript (docs/query.md, docs/describe-your-search.md). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { chooseRuns } from '#server/test-runs'
import { createCredentials } from '#tests/support/query-things'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

interface Item {
  id: string
  words: string[]
  tags: string[]
  size: number[]
  flag?: boolean
}
type Predicate = (item: Item) => boolean
/** A part of a path, and the documents that it keeps. */
interface Step {
  path: string
  keeps: Predicate
}

/** No stemmer and no stop list changes them. */
const words = ['zorb', 'kumquat', 'fjord', 'plinth'] as const
const tags = ['red', 'Red', 'a, b', 'c|d', '1(red)', 'é/ü', '100%'] as const
const sizes = [-2, 0, 0.5, 3, 1e6] as const
const seed = 11

const documents: Item[] = fc
  .sample(
    fc.record({
      words: fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 5 }),
      tags: fc.uniqueArray(fc.constantFrom(...tags), { maxLength: 3 }),
      size: fc.uniqueArray(fc.constantFrom(...sizes), { maxLength: 2 }),
      flag: fc.option(fc.boolean(), { nil: undefined }),
    }),
    { numRuns: chooseRuns(50, 200), seed },
  )
  .map(({ flag, ...item }, index) => ({
    id: `https://items.example/${String(index).padStart(3, '0')}`,
    ...item,
    ...(flag !== undefined && { flag }),
  }))

const definition = {
  workspace: 'algebra',
  collections: {
    items: {
      language: 'english',
      fields: {
        words: { type: 'text' },
        tags: { type: 'keyword' },
        size: { type: 'number' },
        flag: { type: 'boolean' },
      },
    },
  },
  apis: {
    items: {
      endpoints: {
        all: { kind: 'all', collection: 'items' },
        some: { kind: 'match', collection: 'items' },
        every: { kind: 'match', collection: 'items', matching: 'all' },
        tags: { kind: 'facet', field: 'tags' },
        tagged: { kind: 'filter', field: 'tags', parameter: 'tag' },
        flagged: { kind: 'filter', field: 'flag', value: true },
        sized: { kind: 'range', field: 'size' },
        either: { kind: 'any', of: ['tagged', 'flagged', 'sized'] },
        neither: { kind: 'any', of: ['tagged', 'flagged', 'sized'], not: true },
        untagged: { kind: 'any', of: ['tags:FILTER'], not: true },
      },
    },
  },
  systemToSystem: {
    reader: { roles: ['api'] },
    limited: { roles: ['api'], filter: { tags: ['red', 'a, b'] } },
  },
}
const isVisible: Predicate = item => item.tags.includes('red') || item.tags.includes('a, b')

let server: StartedServer
let token: string
let limitedToken: string
before(async () => {
  server = await startServer(['--rate-limit', 'off'])
  await server.applyWorkspace(JSON.stringify(definition))
  const lines = documents.map(({ words: text, ...item }) =>
    JSON.stringify({ ...item, words: text.join(' ') }),
  )
  await server.importDocuments('algebra', 'items', lines.join('\n'), { strict: true })
  token = await fetchToken(server, await createCredentials(server, 'algebra', 'reader'))
  limitedToken = await fetchToken(server, await createCredentials(server, 'algebra', 'limited'))
})
after(() => server?.stop())

const send = async (path: string, bearer = token, init: RequestInit = {}) => {
  const reply = await fetch(`${server.baseUrl}/4/algebra/api/items/${path}`, {
    ...init,
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
  })
  return { status: reply.status, body: (await reply.json()) as unknown }
}
const findIds = async (path: string, bearer?: string): Promise<string[]> => {
  const { status, body } = await send(`${path}/results,count?count=1000&attributes=`, bearer)
  assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`)
  // The reply of the contract.
  const [{ items }, { total }] = body as [{ items: { tuple: [{ id: string }] }[] }, { total: number }]
  assert.equal(items.length, total, path)
  return items.map(({ tuple: [{ id }] }) => id).sort()
}
const keepIds = (keeps: Predicate) => documents.filter(keeps).map(({ id }) => id)

const quote = (value: string) => `"${value.replaceAll(/["\\]/g, '\\$&')}"`
/** A value, or a tuple list of values. */
const tagChoices = fc.uniqueArray(fc.constantFrom(...tags, 'nowhere'), { minLength: 1, maxLength: 3 })
const ends = fc.option(fc.constantFrom(...sizes, 1), { nil: undefined })

const hasTag =
  (chosen: readonly string[]): Predicate =>
  item =>
    item.tags.some(tag => chosen.includes(tag))
const isFlagged: Predicate = ({ flag }) => flag === true
const hasSize =
  (from = -Infinity, to = Infinity): Predicate =>
  ({ size }) =>
    (from === -Infinity && to === Infinity) || size.some(number => number >= from && number <= to)

const tagParameter = (name: string, chosen: readonly string[]) =>
  `/p/${name}/${encodeURIComponent(`1(${chosen.map(quote).join(',')})`)}`
const sizeParameters = (from?: number, to?: number) =>
  (from === undefined ? '' : `/p/from/${from}`) + (to === undefined ? '' : `/p/to/${to}`)

const filterSteps: fc.Arbitrary<Step> = fc.oneof(
  tagChoices.map(chosen => ({ path: `e/tagged${tagParameter('tag', chosen)}`, keeps: hasTag(chosen) })),
  tagChoices.map(chosen => ({
    path: `e/tags:FILTER${tagParameter('value', chosen)}`,
    keeps: hasTag(chosen),
  })),
  tagChoices.map(chosen => {
    const keeps = hasTag(chosen)
    return { path: `e/untagged${tagParameter('value', chosen)}`, keeps: (item: Item) => !keeps(item) }
  }),
  fc.constant({ path: 'e/flagged', keeps: isFlagged }),
  fc.tuple(ends, ends).map(([from, to]) => ({
    path: `e/sized${sizeParameters(from, to)}`,
    keeps: hasSize(from, to),
  })),
  fc.tuple(fc.boolean(), tagChoices, ends, ends).map(([isNegated, chosen, from, to]) => {
    const parts = [hasTag(chosen), isFlagged, hasSize(from, to)]
    const name = isNegated ? 'neither' : 'either'
    return {
      path: `e/${name}${sizeParameters(from, to)}${tagParameter('tag', chosen)}`,
      keeps: (item: Item) => parts.some(keeps => keeps(item)) !== isNegated,
    }
  }),
)

/** A word or a phrase, and the documents that contain it. */
const terms = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 2 }).map(term => ({
  text: term.length === 1 ? (term[0] ?? '') : `"${term.join(' ')}"`,
  isIn: ({ words: text }: Item) =>
    text.some((_, start) => term.every((word, index) => text[start + index] === word)),
}))
const textSteps: fc.Arbitrary<Step> = fc
  .record({
    needsAll: fc.boolean(),
    wanted: fc.array(terms, { maxLength: 3 }),
    excluded: fc.array(terms, { maxLength: 2 }),
  })
  .map(({ needsAll, wanted, excluded }) => {
    const text = [...wanted.map(term => term.text), ...excluded.map(term => `-${term.text}`)].join(' ')
    const isWanted: Predicate = item =>
      wanted.length === 0 ||
      (needsAll ? wanted.every(term => term.isIn(item)) : wanted.some(term => term.isIn(item)))
    return {
      path: `e/${needsAll ? 'every' : 'some'}/p/query/${encodeURIComponent(text)}`,
      keeps: item => isWanted(item) && !excluded.some(term => term.isIn(item)),
    }
  })

const stacks = fc.array(fc.oneof({ weight: 3, arbitrary: filterSteps }, textSteps), {
  minLength: 1,
  maxLength: 4,
})
const stackPath = (stack: readonly Step[]) => stack.map(({ path }) => path).join('/')

test('stacks are "and", any is "or", and its negation is "not", also in texts and under a row filter', async () => {
  await fc.assert(
    fc.asyncProperty(stacks, async stack => {
      const path = stackPath(stack)
      const isKept: Predicate = item => stack.every(({ keeps }) => keeps(item))
      assert.deepEqual(await findIds(path), keepIds(isKept), path)
      assert.deepEqual(
        await findIds(path, limitedToken),
        keepIds(item => isKept(item) && isVisible(item)),
        `${path} under the row filter`,
      )
    }),
    { seed, numRuns: chooseRuns(37, 150) },
  )
})

test('a batch of random queries answers as they do one by one, also those that fail', async () => {
  const suffixes = fc.constantFrom(
    'results?count=3',
    'results,count?count=2&offset=1&highlight=true',
    'count',
    'statistics?cutoff=0.5',
    'resultpage?count=2&attributes=tags',
    'resultitem?rank=2',
    'options/tags?multiselect=true',
    'results?count=0',
    'results?cursor=*&count=4',
    'nothing',
    'options/nothing',
    'e/tags/results?homogeneousArrays=true',
  )
  const queries = fc.tuple(stacks, suffixes).map(([stack, suffix]) => `${stackPath(stack)}/${suffix}`)
  const omitRequestId = (body: unknown) => {
    const { requestId: _requestId, ...rest } = body as { requestId?: string }
    return Array.isArray(body) ? body : rest
  }
  await fc.assert(
    fc.asyncProperty(fc.array(queries, { minLength: 1, maxLength: 20 }), async paths => {
      const batch = await send('batch', token, { method: 'POST', body: JSON.stringify({ requests: paths }) })
      assert.equal(batch.status, 200)
      // The reply of the contract.
      const { responses } = batch.body as { responses: { status: number; body: unknown }[] }
      const single = await Promise.all(paths.map(path => send(path)))
      for (const [index, path] of paths.entries()) {
        const [inBatch, alone] = [responses[index], single[index]]
        assert.deepEqual(
          [inBatch?.status, omitRequestId(inBatch?.body)],
          [alone?.status, omitRequestId(alone?.body)],
          path,
        )
      }
    }),
    { seed, numRuns: 20 },
  )
})
