import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { Engine, Plan, PlanNode, Write } from '#engines/engine'
import { areaSuite } from './engine.suite.area.ts'
import { scoresAreBm25 } from './engine.suite.bm25.ts'
import { boostsSuite } from './engine.suite.boosts.ts'
import { codesSuite } from './engine.suite.codes.ts'
import { collapseSuite } from './engine.suite.collapse.ts'
import { completionSuite } from './engine.suite.completion.ts'
import { curationSuite } from './engine.suite.curation.ts'
import { distanceSuite } from './engine.suite.distance.ts'
import { facetGroupsSuite } from './engine.suite.facet-groups.ts'
import { facetsSuite } from './engine.suite.facets.ts'
import { highlightSuite } from './engine.suite.highlight.ts'
import { languagesSuite } from './engine.suite.languages.ts'
import { lifetimeSuite } from './engine.suite.lifetime.ts'
import { mixSuite } from './engine.suite.mix.ts'
import { nearestSuite } from './engine.suite.nearest.ts'
import { numbersSuite } from './engine.suite.numbers.ts'
import { matchesMemorySearch, ordersEqualSumsById, testedElsewhere } from './engine.suite.oracle.ts'
import { pagingSuite } from './engine.suite.paging.ts'
import { phrasesSuite } from './engine.suite.phrases.ts'
import {
  createBench,
  deadlineMs,
  emptyText,
  entity,
  filter,
  library,
  lookup,
  makePlan,
  match,
  matchAll,
  near,
  phrase,
  putDocument,
  withCode,
} from './engine.suite.plans.ts'
import { presenceSuite } from './engine.suite.presence.ts'
import { pruningSuite } from './engine.suite.pruning.ts'
import { restrictionsSuite } from './engine.suite.restrictions.ts'
import { synonymsSuite } from './engine.suite.synonyms.ts'
import { togetherSuite } from './engine.suite.together.ts'
import { wordRankingSuite } from './engine.suite.word-ranking.ts'
import { wordsSuite } from './engine.suite.words.ts'

/** An engine under test. */
export type OpenedEngine = { engine: Engine; close: () => Promise<void> }

/** Permitted differences of an engine, with their reasons in docs/scale.md. */
export interface Differences {
  /** Rounds sums of texts and mixes to 24 bits. */
  roundsSums?: boolean
  /** Facets don't count the values of `collapse`. */
  lacksCollapsedFacets?: boolean
  /** Has no vectors. */
  lacksVectors?: boolean
}

/** Tests the behavior that every engine guarantees, on the engine that `open` returns. */
export function engineSuite(
  name: string,
  open: () => Promise<OpenedEngine>,
  { roundsSums = false, lacksVectors = false, lacksCollapsedFacets = false }: Differences = {},
): void {
  const roundScore = roundsSums ? Math.fround : (score: number) => score
  describe(`${name}: guarantees of every engine`, () => {
    let openedEngine: OpenedEngine
    let engine: Engine

    before(async () => {
      openedEngine = await open()
      engine = openedEngine.engine
    })
    after(() => openedEngine.close())

    const bench = createBench(() => engine)
    const { generationWith, ids, scores } = bench

    describe('documents', () => {
      it('are read as last written, before any refresh', async () => {
        const generation = await generationWith({})
        await engine.write(generation, [
          putDocument('a', { title: 'one' }),
          putDocument('a', { title: 'two' }),
          putDocument('b', {}),
        ])
        await engine.write(generation, [{ delete: 'b' }, { delete: 'never there' }])
        assert.equal(await engine.get(generation, 'a'), entity('a', { title: 'two' }))
        assert.equal(await engine.get(generation, 'b'), undefined)
        assert.deepEqual(await engine.list(generation, undefined, 10), [
          { id: 'a', entity: entity('a', { title: 'two' }) },
        ])
      })

      it('are indexed by `indexed` where a field is in it, and returned as written', async () => {
        const generation = await generationWith({})
        const text =
          '{"indexed":{"title":"1776 film","year":1976,"tag":null,"place":{"lat":1,"lon":2}},"id":"a","class":[],"attributes":{"title":1776,"year":"1976","tag":"x"}}'
        await engine.write(generation, [{ put: { id: 'a', entity: text } }])
        await engine.refresh(generation)
        const find = (node: PlanNode) => ids(generation, makePlan([node]))
        assert.deepEqual(await find(match('1776')), ['a'])
        assert.deepEqual(await find({ kind: 'range', field: 'year', from: 1970, to: 1980 }), ['a'])
        assert.deepEqual(await find(filter('tag', ['x'])), [])
        const { hits } = await engine.search(generation, makePlan([matchAll]), deadlineMs)
        assert.deepEqual(
          hits.map(hit => hit.entity),
          [text],
        )
      })

      it('are listed in pages by the UTF-8 bytes of their ids', async () => {
        const generation = await generationWith({ é: {}, z: {}, Z: {}, '😀': {}, '\uffee': {}, a: {} })
        assert.deepEqual(await idsListed(engine, generation, 2), ['Z', 'a', 'z', 'é', '\uffee', '😀'])
      })

      it('are returned byte by byte, whatever their JSON', async () => {
        const odd = [
          '{ "id" : "1", "class":[],"attributes" : {"title":"sp  ace", "x": 1.0, "deep": [[[[{}]]]] } }',
          '{"id":"2","class":[],"attributes":{"title":"half \\ud800 pair","keyword":"\\udc00"}}',
          `{"id":"3","class":[],"attributes":{"other":${'['.repeat(500)}${']'.repeat(500)},"title":"deep"}}`,
          '{"id":"4","class":[],"attributes":{"title":null,"year":null,"tag":[],"added":null}}',
          '{"id":"5","class":["a","b"],"attributes":{"title":"nul \\u0000 \u2028 😀","big":1e400}}',
        ]
        const generation = await generationWith({})
        await engine.write(
          generation,
          odd.map((text, index) => ({ put: { id: String(index + 1), entity: text } })),
        )
        await engine.refresh(generation)
        const { hits } = await engine.search(generation, makePlan([matchAll]), deadlineMs)
        assert.deepEqual(
          hits.map(hit => hit.entity),
          odd,
        )
        assert.equal(await engine.get(generation, '2'), odd[1])
        assert.deepEqual(await ids(generation, makePlan([match('half pair')])), ['2'])
        assert.deepEqual(await ids(generation, makePlan([match('deep')])), ['3'])
      })

      it('may have ids of 2 KiB that differ in the last character', async () => {
        const long = `https://example.org/${'é/'.repeat(670)}`
        const generation = await generationWith({ [`${long}a`]: {}, [`${long}b`]: {} })
        assert.deepEqual(await ids(generation, makePlan([lookup(`${long}b`)])), [`${long}b`])
      })

      it('are found at once if the write waits for that', async () => {
        const { writeSearchable } = engine
        if (!writeSearchable) return
        const generation = await generationWith({})
        await Promise.all(
          ['a', 'b', 'c'].map(id => writeSearchable(generation, [putDocument(id, { title: 'wing' })])),
        )
        assert.deepEqual((await ids(generation, makePlan([match('wing')]))).toSorted(), ['a', 'b', 'c'])
        await writeSearchable(generation, [{ delete: 'a' }])
        assert.deepEqual((await ids(generation, makePlan([match('wing')]))).toSorted(), ['b', 'c'])
      })

      it('are found after a refresh, which concurrent callers share', async () => {
        const generation = await generationWith({})
        const writes = Array.from({ length: 40 }, (_, index) =>
          engine.write(generation, [putDocument(`d${index}`, { title: 'busy' })]),
        )
        await Promise.all(writes.map(write => write.then(() => engine.refresh(generation))))
        assert.equal((await engine.search(generation, makePlan([match('busy')]), deadlineMs)).total, 40)
        assert.equal(engine.info(generation).documents, 40)
      })

      it('are found only as last written, and not after deletion', async () => {
        const generation = await generationWith({ a: { title: 'first' }, b: { title: 'first' } })
        await engine.write(generation, [
          putDocument('a', { title: 'second' }),
          { delete: 'b' },
          putDocument('c', { title: 'third' }),
          { delete: 'c' },
        ])
        await engine.refresh(generation)
        assert.deepEqual(await ids(generation, makePlan([match('first third')])), [])
        assert.deepEqual(await ids(generation, makePlan([match('second')])), ['a'])
        assert.equal(engine.info(generation).documents, 1)
      })

      it('match their own query at all times while they change', async () => {
        const generation = await generationWith({ a: { tag: 'odd' } })
        let changing = true
        const changes = (async () => {
          for (let round = 0; round < 25; round++) {
            await engine.write(generation, [putDocument('a', { tag: round % 2 ? 'odd' : 'even' })])
            await engine.refresh(generation)
          }
          changing = false
        })()
        while (changing) {
          for (const tag of ['odd', 'even']) {
            const { hits } = await engine.search(generation, makePlan([filter('tag', [tag])]), deadlineMs)
            for (const hit of hits) assert.equal(hit.entity, entity('a', { tag }))
          }
        }
        await changes
      })
    })

    describe('generations', () => {
      it('have a version that rises with every searchable change', async () => {
        const generation = await generationWith({ a: {} })
        let version = engine.info(generation).version
        for (const writes of [
          [putDocument('b', {})],
          [putDocument('b', { title: 'x' })],
          [{ delete: 'a' }],
        ] satisfies Write[][]) {
          await engine.write(generation, writes)
          await engine.refresh(generation)
          assert.ok(engine.info(generation).version > version)
          version = engine.info(generation).version
        }
      })

      it('are rebuilt from their documents when their fields change', async () => {
        const generation = await generationWith({ a: { title: 'one', shelf: 'top' }, b: { title: 'one' } })
        const version = engine.info(generation).version
        await engine.open(generation, {
          fields: [...library.fields, { name: 'shelf', type: 'keyword' }],
        })
        assert.deepEqual(await ids(generation, makePlan([match('one'), filter('shelf', ['top'])])), ['a'])
        assert.ok(engine.info(generation).version > version)
      })

      it('are independent of each other', async () => {
        const one = await generationWith({ a: { title: 'one' } })
        const two = await generationWith({ b: { title: 'one' } })
        assert.deepEqual(await ids(one, makePlan([matchAll])), ['a'])
        assert.deepEqual(await ids(two, makePlan([matchAll])), ['b'])
      })

      it('are copied with all their documents', async () => {
        const source = await generationWith({ a: { title: 'one' }, b: { title: 'two' } })
        const target = await generationWith({ b: { title: 'old' }, c: { title: 'own' } })
        await engine.copy(source, target)
        await engine.refresh(target)
        assert.deepEqual(await ids(target, makePlan([matchAll])), ['a', 'b', 'c'])
        assert.equal(await engine.get(target, 'b'), entity('b', { title: 'two' }))
      })

      it('are unavailable after a drop', async () => {
        const generation = await generationWith({ a: { title: 'one' } })
        await engine.drop(generation)
        const assertUnavailable = (promise: Promise<unknown>) =>
          assert.rejects(promise, withCode('unavailable'))
        await assertUnavailable(engine.search(generation, makePlan([matchAll]), deadlineMs))
        await assertUnavailable(engine.write(generation, [putDocument('a', {})]))
        await assertUnavailable(engine.refresh(generation))
        await assertUnavailable(engine.get(generation, 'a'))
        await assertUnavailable(engine.list(generation, undefined, 1))
        await assertUnavailable(engine.deleteMatching(generation, makePlan([matchAll])))
        assert.throws(() => engine.info(generation), withCode('unavailable'))
        await engine.open(generation, library)
        assert.equal(engine.info(generation).documents, 0)
        await engine.drop('never-there')
      })

      it('deleteMatching deletes the matches of a plan, including recent writes', async () => {
        const generation = await generationWith({ a: { tag: 'x' }, b: { tag: 'y' } })
        await engine.write(generation, [putDocument('c', { tag: 'x' })])
        assert.equal(
          await engine.deleteMatching(generation, { ...makePlan([filter('tag', ['x'])]), count: 1 }),
          2,
        )
        assert.equal(await engine.get(generation, 'c'), undefined)
        await engine.refresh(generation)
        assert.deepEqual(await ids(generation, makePlan([matchAll])), ['b'])
      })
    })

    describe('match', () => {
      it('finds any of the words in any form, case and accent', async () => {
        const generation = await generationWith({
          a: { title: 'Running in the CAFÉ' },
          b: { title: 'he runs' },
          c: { text: ['nothing', 'a cafe\u0301 here'] },
          d: { title: 'else' },
        })
        assert.deepEqual((await ids(generation, makePlan([match('run')]))).toSorted(), ['a', 'b'])
        assert.deepEqual((await ids(generation, makePlan([match('cafés')]))).toSorted(), ['a', 'c'])
        assert.deepEqual((await ids(generation, makePlan([match('run cafe')]))).toSorted(), ['a', 'b', 'c'])
        assert.equal((await ids(generation, makePlan([match('run cafe')])))[0], 'a')
      })

      it('weighs fields', async () => {
        const generation = await generationWith({
          a: { title: 'wing', text: 'bird' },
          b: { title: 'bird', text: 'wing' },
        })
        const weighed = (title: number, text: number) =>
          makePlan([
            {
              ...match('wing'),
              fields: [
                { name: 'title', weight: title },
                { name: 'text', weight: text },
              ],
            },
          ])
        assert.deepEqual(await ids(generation, weighed(2, 1)), ['a', 'b'])
        assert.deepEqual(await ids(generation, weighed(1, 2)), ['b', 'a'])
        assert.deepEqual(
          await ids(generation, makePlan([{ ...match('wing'), fields: [{ name: 'text', weight: 1 }] }])),
          ['b'],
        )
      })

      it('omits documents with excluded words in any field', async () => {
        const generation = await generationWith({
          a: { title: 'wing', text: 'steel' },
          b: { title: 'wing' },
          c: { title: 'steel wing' },
        })
        const excluding = (text: object): PlanNode => ({ ...match(''), text: { ...emptyText, ...text } })
        assert.deepEqual(
          await ids(generation, makePlan([excluding({ words: ['wing'], excludedWords: ['steel'] })])),
          ['b'],
        )
        assert.deepEqual(
          await ids(
            generation,
            makePlan([excluding({ words: ['wing'], excludedPhrases: ['steel wing'] })]),
          ).then(result => result.toSorted()),
          ['a', 'b'],
        )
        const onlyExclusions = await engine.search(
          generation,
          makePlan([excluding({ excludedWords: ['steel'] })]),
          deadlineMs,
        )
        assert.deepEqual([onlyExclusions.total, onlyExclusions.best], [1, 1])
      })

      it('finds everything for a blank text, and nothing for a text without words', async () => {
        const generation = await generationWith({ a: { title: 'one' }, b: {} })
        const blank = await engine.search(generation, makePlan([match('')]), deadlineMs)
        assert.deepEqual([blank.total, blank.best, blank.hits[0]?.score], [2, 1, 1])
        assert.equal((await engine.search(generation, makePlan([match('?! …')]), deadlineMs)).total, 0)
      })

      it('accepts any text', async () => {
        const generation = await generationWith({ a: { title: 'one' } })
        for (const text of [
          '"',
          '\\',
          '*:*',
          'title:one AND',
          '\u0000',
          '😀',
          '\ud800',
          '('.repeat(300),
          'x'.repeat(9_000),
          'w '.repeat(4_000),
        ]) {
          await engine.search(
            generation,
            makePlan([
              match(text),
              { ...match(''), text: { ...emptyText, excludedWords: [text], phrases: [text] } },
            ]),
            deadlineMs,
          )
        }
      })

      it('treats arrays as several values', async () => {
        const generation = await generationWith({ a: { title: ['steel wing', 'old bird'] } })
        assert.deepEqual(await ids(generation, makePlan([phrase('old bird')])), ['a'])
        assert.deepEqual(await ids(generation, makePlan([phrase('wing old')])), [])
      })
    })

    describe('filter and lookup', () => {
      const shelf = {
        a: { tag: ['x', 'y'], year: 1999, added: '2024-02-29T23:30:00Z', good: true },
        b: { tag: 'x', year: [2000, -0.5], added: '2024-03-01T01:00:00+02:00', good: false },
        c: { tag: 'a, b|(c)"', year: 0, added: '2024-03-01T00:00:00.5Z', good: [true, false] },
        d: { tag: '', year: 1e21 },
      }

      it('finds equal values of every type', async () => {
        const generation = await generationWith(shelf)
        const searchField = (field: string, ...values: (string | number | boolean)[]) =>
          ids(generation, makePlan([filter(field, values)]))
        assert.deepEqual(await searchField('tag', 'x'), ['a', 'b'])
        assert.deepEqual(await searchField('tag', 'X', 'nothing'), [])
        assert.deepEqual(await searchField('tag', 'a, b|(c)"', 'y'), ['a', 'c'])
        assert.deepEqual(await searchField('tag', ''), ['d'])
        assert.deepEqual(await searchField('year', -0.5), ['b'])
        assert.deepEqual(await searchField('year', 1e21, 1999), ['a', 'd'])
        assert.deepEqual(await searchField('year', -0), ['c'])
        assert.deepEqual(await searchField('good', true), ['a', 'c'])
        assert.deepEqual(await searchField('added', '2024-02-29'), ['a', 'b'])
        assert.deepEqual(await searchField('added', '2024-02-29T23:00:00Z'), ['b'])
        assert.deepEqual(await searchField('added', '2024-03-01T00:00:00.500Z', 'no date'), ['c'])
      })

      it('multiplies by the highest score among the matching alternatives', async () => {
        const generation = await generationWith(shelf)
        const scored = {
          kind: 'filter',
          field: 'tag',
          alternatives: [
            { score: 0.5, values: ['x', 'a, b|(c)"'] },
            { score: 2, values: ['y'] },
            { score: 0.25, values: ['y'] },
          ],
        } as const
        assert.deepEqual(await scores(generation, makePlan([scored as unknown as PlanNode])), {
          a: 2,
          b: 0.5,
          c: 0.5,
        })
        const combined = makePlan([
          scored as unknown as PlanNode,
          {
            kind: 'lookup',
            alternatives: [
              { score: 10, values: ['b'] },
              { score: 3, values: ['a', 'gone'] },
            ],
          },
        ])
        assert.deepEqual(await scores(generation, combined), { a: 6, b: 5 })
        assert.deepEqual(await ids(generation, combined), ['a', 'b'])
      })

      it('multiplies by a score that all alternatives share', async () => {
        const generation = await generationWith(shelf)
        assert.deepEqual(
          await scores(
            generation,
            makePlan([{ kind: 'filter', field: 'year', alternatives: [{ score: 3, values: [1999, 2000] }] }]),
          ),
          { a: 3, b: 3 },
        )
      })

      it('looks up ids, and finds nothing for unknown ones', async () => {
        const generation = await generationWith(shelf)
        assert.deepEqual(await ids(generation, makePlan([lookup('c', 'a', 'zzz')])), ['a', 'c'])
        assert.deepEqual(await engine.search(generation, makePlan([lookup('zzz')]), deadlineMs), {
          total: 0,
          best: 0,
          hits: [],
        })
      })

      it('finds ranges with inclusive or open ends', async () => {
        const generation = await generationWith(shelf)
        const searchRange = (field: string, min?: string | number, max?: string | number) =>
          ids(
            generation,
            makePlan([
              {
                kind: 'range',
                field,
                ...(min !== undefined && { from: min }),
                ...(max !== undefined && { to: max }),
              },
            ]),
          )
        assert.deepEqual(await searchRange('year', 0, 1999), ['a', 'c'])
        assert.deepEqual(await searchRange('year', 2000), ['b', 'd'])
        assert.deepEqual(await searchRange('year', undefined, -0.5), ['b'])
        assert.deepEqual(await searchRange('year', 5, 4), [])
        assert.deepEqual(await searchRange('added', '2024-02-29', '2024-02-29'), ['a', 'b'])
        assert.deepEqual(await searchRange('added', '2024-03-01'), ['c'])
        assert.deepEqual(await searchRange('tag', 'x', 'y'), ['a', 'b'])
      })

      it('restrictions never affect scores', async () => {
        const generation = await generationWith({
          a: { title: 'wing', tag: 'x' },
          b: { title: 'wing', tag: 'y' },
        })
        const restriction: PlanNode = {
          kind: 'filter',
          field: 'tag',
          alternatives: [{ score: 0.1, values: ['x'] }],
        }
        const free = await scores(
          await generationWith({ a: { title: 'wing', tag: 'x' } }),
          makePlan([match('wing')]),
        )
        assert.deepEqual(
          await scores(generation, {
            ...makePlan([match('wing')]),
            restrictions: [restriction, match('wing')],
          }),
          free,
        )
      })
    })

    describe('scores and order', () => {
      const shelf = {
        a: { title: 'steel wing', tag: 'x' },
        b: { title: 'steel', tag: ['x', 'y'] },
        c: { title: 'steel wing wing', tag: 'y' },
        d: { title: 'steel wing', tag: 'x' },
      }

      it('adds the scores of texts for any order of nodes', async () => {
        const generation = await generationWith(shelf)
        const [one, two] = [
          await scores(generation, makePlan([match('steel')])),
          await scores(generation, makePlan([match('wing')])),
        ]
        const nodes: PlanNode[] = [
          match('steel'),
          match('wing'),
          {
            kind: 'filter',
            field: 'tag',
            alternatives: [
              { score: 0.3, values: ['x'] },
              { score: 0.7, values: ['y'] },
            ],
          },
        ]
        const forth = await engine.search(generation, makePlan(nodes), deadlineMs)
        assert.deepEqual(await engine.search(generation, makePlan(nodes.toReversed()), deadlineMs), forth)
        const sum = await scores(generation, makePlan([match('steel'), match('wing')]))
        for (const id of ['a', 'c', 'd']) near(sum[id], (one[id] ?? Number.NaN) + (two[id] ?? Number.NaN))
      })

      it('orders equal scores by id', async () => {
        const generation = await generationWith(shelf)
        const foundIds = await ids(generation, makePlan([match('steel wing')]))
        assert.equal(foundIds.indexOf('d') - foundIds.indexOf('a'), 1)
        assert.deepEqual(await ids(generation, makePlan([matchAll])), ['a', 'b', 'c', 'd'])
        assert.deepEqual(await ids(generation, { ...makePlan([match('steel wing')]), order: [] }), [
          'a',
          'b',
          'c',
          'd',
        ])
      })

      it('sorts by fields, missing values last, then by score and id', async () => {
        const generation = await generationWith({
          a: { title: 'Zebra', year: 3, tag: ['m', 'z'], added: '2024-01-02T00:00:00Z' },
          b: { title: 'apple', year: [9, 1], tag: 'n', added: '2024-01-01T00:00:00Z', good: true },
          c: { title: 'Élan', year: 3, tag: 'é', good: false },
          d: {},
        })
        await engine.write(generation, [putDocument('e', { title: 'banana', year: -5, tag: 'a' })])
        await engine.refresh(generation)
        const sorted = (field: string, order: 'ascending' | 'descending', ...moreKeys: Plan['order']) =>
          ids(generation, { ...makePlan([matchAll]), order: [{ by: 'field', field, order }, ...moreKeys] })
        assert.deepEqual(await sorted('year', 'ascending'), ['e', 'b', 'a', 'c', 'd'])
        assert.deepEqual(await sorted('year', 'descending'), ['b', 'a', 'c', 'e', 'd'])
        assert.deepEqual(await sorted('tag', 'ascending'), ['e', 'c', 'a', 'b', 'd'])
        assert.deepEqual(await sorted('tag', 'descending'), ['a', 'b', 'c', 'e', 'd'])
        assert.deepEqual(await sorted('title', 'ascending'), ['b', 'e', 'c', 'a', 'd'])
        assert.deepEqual(await sorted('added', 'descending'), ['a', 'b', 'c', 'd', 'e'])
        assert.deepEqual(
          await sorted('good', 'ascending', { by: 'field', field: 'year', order: 'descending' }),
          ['c', 'b', 'a', 'e', 'd'],
        )
        const scored: PlanNode = {
          kind: 'lookup',
          alternatives: [
            { score: 1, values: ['a', 'b'] },
            { score: 2, values: ['c'] },
          ],
        }
        const byYearAndScore: Plan = {
          ...makePlan([scored]),
          order: [{ by: 'field', field: 'year', order: 'descending' }, { by: 'score' }],
        }
        assert.deepEqual(await ids(generation, byYearAndScore), ['b', 'c', 'a'])
        assert.deepEqual(await ids(generation, { ...byYearAndScore, offset: 1, count: 1 }), ['c'])
      })

      it('returns the best score on every page, and cuts by probability', async () => {
        const generation = await generationWith(shelf)
        const reply = await engine.search(
          generation,
          { ...makePlan([match('wing')]), statistics: true },
          deadlineMs,
        )
        const { best } = reply
        assert.equal(best, reply.hits[0]?.score)
        const nextPage = await engine.search(
          generation,
          { ...makePlan([match('wing')]), offset: 2, count: 1 },
          deadlineMs,
        )
        assert.deepEqual(
          [nextPage.best, nextPage.total, nextPage.hits],
          [best, reply.total, reply.hits.slice(2, 3)],
        )
        const cut = await engine.search(
          generation,
          { ...makePlan([match('wing')]), cutoff: 1, statistics: true },
          deadlineMs,
        )
        const bestHits = reply.hits.filter(hit => hit.score === best)
        assert.deepEqual(
          [cut.total, cut.best, cut.hits, cut.statistics],
          [bestHits.length, best, bestHits, Array(10).fill(bestHits.length)],
        )
        const emptyPage = await engine.search(
          generation,
          { ...makePlan([match('wing')]), count: 0 },
          deadlineMs,
        )
        assert.deepEqual([emptyPage.total, emptyPage.hits], [reply.total, []])
      })

      it('counts results by probability exactly', async () => {
        const generation = await generationWith(
          Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`d${index}`, { year: index + 1 }])),
        )
        const alternatives = Array.from({ length: 10 }, (_, index) => ({
          score: (index + 1) / 10,
          values: [index + 1],
        }))
        const { statistics } = await engine.search(
          generation,
          { ...makePlan([{ kind: 'filter', field: 'year', alternatives }]), statistics: true, count: 0 },
          deadlineMs,
        )
        assert.deepEqual(statistics, [2, 3, 4, 5, 6, 7, 8, 9, 10, 10])
      })
    })

    describe('facet', () => {
      const shelf = {
        a: { tag: ['x', 'y', 'x'], year: 2, good: true, added: '2024-01-01T00:00:00Z', title: 'wing' },
        b: { tag: 'x', year: [2, 10], good: true, added: '2024-01-01T01:00:00+01:00', title: 'wing' },
        c: { tag: ['é', 'z'], year: 1.5, good: false, added: '2025-01-01T00:00:00Z', title: 'wing' },
        d: { title: 'bird', tag: 'bird' },
      }
      const readFacet = async (
        generation: string,
        field: string,
        changes: object = {},
        plan = makePlan([match('wing')]),
      ) =>
        (
          await engine.search(
            generation,
            { ...plan, count: 0, facet: { field, offset: 0, count: 10, selected: [], ...changes } },
            deadlineMs,
          )
        ).facet

      it('counts documents by value, most frequent first, then by bytes', async () => {
        const generation = await generationWith(shelf)
        assert.deepEqual(await readFacet(generation, 'tag', { selected: ['z', 'gone', 'x'] }), {
          options: options(['x', 2], ['y', 1], ['z', 1], ['é', 1]),
          selected: options(['z', 1], ['gone', 0], ['x', 2]),
          distinct: 4,
          largest: 2,
        })
        assert.deepEqual(
          (await readFacet(generation, 'tag', { offset: 1, count: 2 }))?.options,
          options(['y', 1], ['z', 1]),
        )
        assert.deepEqual((await readFacet(generation, 'tag', { offset: 9 }))?.options, [])
      })

      it('formats numbers, booleans and dates like clients do', async () => {
        const generation = await generationWith(shelf)
        assert.deepEqual(
          (await readFacet(generation, 'year'))?.options,
          options(['2', 2], ['1.5', 1], ['10', 1]),
        )
        assert.deepEqual((await readFacet(generation, 'good'))?.options, options(['true', 2], ['false', 1]))
        assert.deepEqual(
          (await readFacet(generation, 'added'))?.options,
          options(['2024-01-01T00:00:00Z', 2], ['2025-01-01T00:00:00Z', 1]),
        )
      })

      it('omits options below the cutoff', async () => {
        const generation = await generationWith(shelf)
        const plan = { ...makePlan([match('wing')]), statistics: true }
        const facet = await readFacet(generation, 'tag', { cutoff: 0.6, selected: ['y'] }, plan)
        assert.deepEqual(facet, {
          options: options(['x', 2]),
          selected: options(['y', 1]),
          distinct: 1,
          largest: 2,
          statistics: Array(10).fill(1),
        })
        assert.equal((await readFacet(generation, 'tag', { cutoff: 0.5 }))?.distinct, 4)
      })

      it('is empty if nothing matches', async () => {
        const generation = await generationWith(shelf)
        assert.deepEqual(await readFacet(generation, 'tag', {}, makePlan([match('nothing')])), {
          options: [],
          selected: [],
          distinct: 0,
          largest: 0,
        })
      })

      it('counts results after the cutoff, and has its own statistics', async () => {
        const generation = await generationWith(shelf)
        const scored: PlanNode = {
          kind: 'lookup',
          alternatives: [
            { score: 1, values: ['a', 'b'] },
            { score: 0.5, values: ['c'] },
          ],
        }
        const plan = { ...makePlan([scored]), cutoff: 0.6, statistics: true }
        const facet = await readFacet(generation, 'tag', {}, plan)
        assert.deepEqual(facet?.options, options(['x', 2], ['y', 1]))
        assert.deepEqual(facet?.statistics, [1, 1, 1, 1, 2, 2, 2, 2, 2, 2])
      })
    })

    describe('match that completes and corrects', () => completionSuite(bench))
    describe('match that ranks and needs words', () => wordRankingSuite(bench))
    describe('words as people write and type them', () => wordsSuite(bench))
    describe('codes, symbols and stop words of a collection', () => codesSuite(bench))
    describe('phrases and stop words', () => phrasesSuite(bench))
    describe('facets', () => facetsSuite(bench))
    describe('facets of groups', () => facetGroupsSuite(bench))
    describe('presence and statistics', () => presenceSuite(bench, !lacksVectors))
    describe('whole numbers of 64 bits', () => numbersSuite(bench))
    describe('collapse', () => collapseSuite(bench, { roundsSums, lacksCollapsedFacets }))
    describe('paging', () => pagingSuite(bench))
    describe('boosts', () => boostsSuite(bench))
    describe('distances', () => distanceSuite(bench))
    describe('areas', () => areaSuite(bench))
    describe('elements of lists', () => togetherSuite(bench))
    describe('lifetimes', () => lifetimeSuite(bench))
    describe('pages', () => pruningSuite(bench))
    describe('restrictions', () => restrictionsSuite(bench))
    describe('languages', () => languagesSuite(bench))
    describe('similar and mix', () => mixSuite(bench))
    if (!lacksVectors) describe('vectors', () => nearestSuite(bench))
    curationSuite(bench)
    describe('highlights', () => highlightSuite(bench))
    describe('synonyms', () => synonymsSuite(bench))

    it('ends a search at its deadline', async () => {
      const generation = await generationWith({ a: {} })
      await assert.rejects(engine.search(generation, makePlan([matchAll]), 0), withCode('timeout'))
    })

    it('agrees with a search in memory, page by page', () =>
      matchesMemorySearch(engine, bench.newId, roundScore))

    it('orders documents by id whose sums it cannot tell apart', () =>
      ordersEqualSumsById(engine, bench.newId(), roundScore))

    it('has examples of each kind of endpoint that this search does not draw', () => {
      const root = new URL('../../../../../', import.meta.url)
      for (const place of Object.values(testedElsewhere))
        if (place.endsWith('.ts')) assert.ok(existsSync(new URL(place, root)), place)
    })

    describe('scores of a textbook BM25', () => scoresAreBm25(bench))
  })
}

function options(...counts: [string, number][]) {
  return counts.map(([value, count]) => ({ value, count }))
}

async function idsListed(engine: Engine, generation: string, count: number): Promise<string[]> {
  const listed: string[] = []
  for (;;) {
    const page = await engine.list(generation, listed.at(-1), count)
    if (page.length === 0) return listed
    listed.push(...page.map(document => document.id))
  }
}
