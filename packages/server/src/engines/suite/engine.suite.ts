import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Engine, GenerationSpec, Plan, PlanNode, Write } from '#engines/engine'
import { scoresAreBm25 } from './engine.suite.bm25.ts'
import { completionSuite } from './engine.suite.completion.ts'
import { curationSuite } from './engine.suite.curation.ts'
import { distanceSuite } from './engine.suite.distance.ts'
import { facetsSuite } from './engine.suite.facets.ts'
import { highlightSuite } from './engine.suite.highlight.ts'
import { languagesSuite } from './engine.suite.languages.ts'
import { lifetimeSuite } from './engine.suite.lifetime.ts'
import { mixSuite } from './engine.suite.mix.ts'
import { pagesTile } from './engine.suite.oracle.ts'
import {
  all,
  deadlineMs,
  entity,
  filter,
  library,
  lookup,
  match,
  near,
  nothing,
  phrase,
  planOf,
  put,
  withCode,
} from './engine.suite.plans.ts'
import { pruningSuite } from './engine.suite.pruning.ts'
import { restrictionsSuite } from './engine.suite.restrictions.ts'
import { synonymsSuite } from './engine.suite.synonyms.ts'

/** An engine to be tried, and what ends it. */
export type OpenedEngine = { engine: Engine; close: () => Promise<void> }

/** What an engine may do otherwise, with its reason in docs/scale.md. */
export interface Differences {
  /** Sums of what several texts and mixes add are rounded to 24 bits. */
  roundsSums?: boolean
  /** Words of engine.suite.languages.ts whose other forms are not found, by language. */
  otherForms?: Readonly<Record<string, readonly string[]>>
}

/** What every engine promises, tried on the one that `open` gives. Behaviour only: nothing here knows how it is done. */
export function engineSuite(
  name: string,
  open: () => Promise<OpenedEngine>,
  { roundsSums = false, otherForms = {} }: Differences = {},
): void {
  describe(`${name}: what every engine promises`, () => {
    let opened: OpenedEngine
    let engine: Engine
    let generations = 0

    before(async () => {
      opened = await open()
      engine = opened.engine
    })
    after(() => opened.close())

    /** A new generation with these documents, searchable. */
    async function generationWith(
      documents: Record<string, object>,
      spec: GenerationSpec = library,
    ): Promise<string> {
      const id = `suite-${++generations}`
      await engine.open(id, spec)
      await engine.write(
        id,
        Object.entries(documents).map(([key, attributes]) => put(key, attributes)),
      )
      await engine.refresh(id)
      return id
    }

    const ids = async (generation: string, plan: Plan) =>
      (await engine.search(generation, plan, deadlineMs)).hits.map(hit => JSON.parse(hit.entity).id as string)
    const scores = async (generation: string, plan: Plan) =>
      Object.fromEntries(
        (await engine.search(generation, plan, deadlineMs)).hits.map(hit => [
          JSON.parse(hit.entity).id,
          hit.score,
        ]),
      )

    const bench = { engine: () => engine, generationWith, ids, scores }

    describe('documents', () => {
      it('are read as last written, before any refresh', async () => {
        const generation = await generationWith({})
        await engine.write(generation, [put('a', { title: 'one' }), put('a', { title: 'two' }), put('b', {})])
        await engine.write(generation, [{ delete: 'b' }, { delete: 'never there' }])
        assert.equal(await engine.get(generation, 'a'), entity('a', { title: 'two' }))
        assert.equal(await engine.get(generation, 'b'), undefined)
        assert.deepEqual(await engine.list(generation, undefined, 10), [
          { id: 'a', entity: entity('a', { title: 'two' }) },
        ])
      })

      it('are listed by the UTF-8 bytes of their ids, in pages', async () => {
        const generation = await generationWith({ é: {}, z: {}, Z: {}, '😀': {}, '\uffee': {}, a: {} })
        assert.deepEqual(await idsListed(engine, generation, 2), ['Z', 'a', 'z', 'é', '\uffee', '😀'])
      })

      it('come back to the letter, whatever JSON they are', async () => {
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
          odd.map((text, at) => ({ put: { id: String(at + 1), entity: text } })),
        )
        await engine.refresh(generation)
        const { hits } = await engine.search(generation, planOf([all]), deadlineMs)
        assert.deepEqual(
          hits.map(hit => hit.entity),
          odd,
        )
        assert.equal(await engine.get(generation, '2'), odd[1])
        assert.deepEqual(await ids(generation, planOf([match('half pair')])), ['2'])
        assert.deepEqual(await ids(generation, planOf([match('deep')])), ['3'])
      })

      it('may have ids of 2 KiB that differ in the last letter', async () => {
        const long = `https://example.org/${'é/'.repeat(670)}`
        const generation = await generationWith({ [`${long}a`]: {}, [`${long}b`]: {} })
        assert.deepEqual(await ids(generation, planOf([lookup(`${long}b`)])), [`${long}b`])
      })

      it('are found after a refresh, which others at the same time share', async () => {
        const generation = await generationWith({})
        const writes = Array.from({ length: 40 }, (_, at) =>
          engine.write(generation, [put(`d${at}`, { title: 'busy' })]),
        )
        await Promise.all(writes.map(write => write.then(() => engine.refresh(generation))))
        assert.equal((await engine.search(generation, planOf([match('busy')]), deadlineMs)).total, 40)
        assert.equal(engine.info(generation).documents, 40)
      })

      it('that are written again or deleted are found only as they are now', async () => {
        const generation = await generationWith({ a: { title: 'first' }, b: { title: 'first' } })
        await engine.write(generation, [
          put('a', { title: 'second' }),
          { delete: 'b' },
          put('c', { title: 'third' }),
          { delete: 'c' },
        ])
        await engine.refresh(generation)
        assert.deepEqual(await ids(generation, planOf([match('first third')])), [])
        assert.deepEqual(await ids(generation, planOf([match('second')])), ['a'])
        assert.equal(engine.info(generation).documents, 1)
      })

      it('are always found as what they were found for, while they change', async () => {
        const generation = await generationWith({ a: { tag: 'odd' } })
        let changing = true
        const changes = (async () => {
          for (let round = 0; round < 25; round++) {
            await engine.write(generation, [put('a', { tag: round % 2 ? 'odd' : 'even' })])
            await engine.refresh(generation)
          }
          changing = false
        })()
        while (changing) {
          for (const tag of ['odd', 'even']) {
            const { hits } = await engine.search(generation, planOf([filter('tag', [tag])]), deadlineMs)
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
          [put('b', {})],
          [put('b', { title: 'x' })],
          [{ delete: 'a' }],
        ] satisfies Write[][]) {
          await engine.write(generation, writes)
          await engine.refresh(generation)
          assert.ok(engine.info(generation).version > version)
          version = engine.info(generation).version
        }
      })

      it('are built again from their documents when their fields change', async () => {
        const generation = await generationWith({ a: { title: 'one', shelf: 'top' }, b: { title: 'one' } })
        const version = engine.info(generation).version
        await engine.open(generation, {
          fields: [...library.fields, { name: 'shelf', type: 'keyword' }],
          synonyms: [],
        })
        assert.deepEqual(await ids(generation, planOf([match('one'), filter('shelf', ['top'])])), ['a'])
        assert.ok(engine.info(generation).version > version)
      })

      it('know nothing of one another', async () => {
        const one = await generationWith({ a: { title: 'one' } })
        const two = await generationWith({ b: { title: 'one' } })
        assert.deepEqual(await ids(one, planOf([all])), ['a'])
        assert.deepEqual(await ids(two, planOf([all])), ['b'])
      })

      it('are copied with all their documents', async () => {
        const source = await generationWith({ a: { title: 'one' }, b: { title: 'two' } })
        const target = await generationWith({ b: { title: 'old' }, c: { title: 'own' } })
        await engine.copy(source, target)
        await engine.refresh(target)
        assert.deepEqual(await ids(target, planOf([all])), ['a', 'b', 'c'])
        assert.equal(await engine.get(target, 'b'), entity('b', { title: 'two' }))
      })

      it('are gone when dropped, and unavailable', async () => {
        const generation = await generationWith({ a: { title: 'one' } })
        await engine.drop(generation)
        const refused = (promise: Promise<unknown>) => assert.rejects(promise, withCode('unavailable'))
        await refused(engine.search(generation, planOf([all]), deadlineMs))
        await refused(engine.write(generation, [put('a', {})]))
        await refused(engine.refresh(generation))
        await refused(engine.get(generation, 'a'))
        await refused(engine.list(generation, undefined, 1))
        await refused(engine.deleteMatching(generation, planOf([all])))
        assert.throws(() => engine.info(generation), withCode('unavailable'))
        await engine.open(generation, library)
        assert.equal(engine.info(generation).documents, 0)
        await engine.drop('never-there')
      })

      it('lose by deleteMatching what a plan finds, written a moment ago too', async () => {
        const generation = await generationWith({ a: { tag: 'x' }, b: { tag: 'y' } })
        await engine.write(generation, [put('c', { tag: 'x' })])
        assert.equal(
          await engine.deleteMatching(generation, { ...planOf([filter('tag', ['x'])]), count: 1 }),
          2,
        )
        assert.equal(await engine.get(generation, 'c'), undefined)
        await engine.refresh(generation)
        assert.deepEqual(await ids(generation, planOf([all])), ['b'])
      })
    })

    describe('match', () => {
      it('finds any of the words, in any form, letter case and accent', async () => {
        const generation = await generationWith({
          a: { title: 'Running in the CAFÉ' },
          b: { title: 'he runs' },
          c: { text: ['nothing', 'a cafe\u0301 here'] },
          d: { title: 'else' },
        })
        assert.deepEqual((await ids(generation, planOf([match('run')]))).toSorted(), ['a', 'b'])
        assert.deepEqual((await ids(generation, planOf([match('cafés')]))).toSorted(), ['a', 'c'])
        assert.deepEqual((await ids(generation, planOf([match('run cafe')]))).toSorted(), ['a', 'b', 'c'])
        assert.equal((await ids(generation, planOf([match('run cafe')])))[0], 'a')
      })

      it('weighs fields', async () => {
        const generation = await generationWith({
          a: { title: 'wing', text: 'bird' },
          b: { title: 'bird', text: 'wing' },
        })
        const weighed = (title: number, text: number) =>
          planOf([
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
          await ids(generation, planOf([{ ...match('wing'), fields: [{ name: 'text', weight: 1 }] }])),
          ['b'],
        )
      })

      it('finds phrases only as they stand', async () => {
        const generation = await generationWith({
          a: { title: 'swept wing of steel' },
          b: { title: 'steel wing, swept' },
        })
        assert.deepEqual(await ids(generation, planOf([phrase('swept wings')])), ['a'])
        assert.deepEqual(await ids(generation, planOf([phrase('wing of steel')])), ['a'])
        assert.deepEqual(
          await ids(
            generation,
            planOf([
              { ...phrase('swept wing'), text: { ...nothing, words: ['steel'], phrases: ['swept wing'] } },
            ]),
          ),
          ['a', 'b'],
        )
      })

      it('leaves out what is excluded, in any of its fields', async () => {
        const generation = await generationWith({
          a: { title: 'wing', text: 'steel' },
          b: { title: 'wing' },
          c: { title: 'steel wing' },
        })
        const without = (text: object): PlanNode => ({ ...match(''), text: { ...nothing, ...text } })
        assert.deepEqual(
          await ids(generation, planOf([without({ words: ['wing'], excludedWords: ['steel'] })])),
          ['b'],
        )
        assert.deepEqual(
          await ids(generation, planOf([without({ words: ['wing'], excludedPhrases: ['steel wing'] })])).then(
            found => found.toSorted(),
          ),
          ['a', 'b'],
        )
        const onlyExclusions = await engine.search(
          generation,
          planOf([without({ excludedWords: ['steel'] })]),
          deadlineMs,
        )
        assert.deepEqual([onlyExclusions.total, onlyExclusions.best], [1, 1])
      })

      it('finds everything for a blank text, and nothing for one without a word', async () => {
        const generation = await generationWith({ a: { title: 'one' }, b: {} })
        const blank = await engine.search(generation, planOf([match('')]), deadlineMs)
        assert.deepEqual([blank.total, blank.best, blank.hits[0]?.score], [2, 1, 1])
        assert.equal((await engine.search(generation, planOf([match('?! …')]), deadlineMs)).total, 0)
      })

      it('heeds stop words only where there is nothing else', async () => {
        const generation = await generationWith({
          a: { title: 'the wing' },
          b: { title: 'the bird' },
          c: { title: 'to be or not to be' },
        })
        assert.deepEqual(await ids(generation, planOf([match('the wing')])), ['a'])
        assert.deepEqual(await ids(generation, planOf([match('the')])), ['a', 'b'])
        assert.deepEqual(await ids(generation, planOf([phrase('to be or not to be')])), ['c'])
        assert.deepEqual(await ids(generation, planOf([phrase('be to or')])), [])
      })

      it('survives any text', async () => {
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
            planOf([
              match(text),
              { ...match(''), text: { ...nothing, excludedWords: [text], phrases: [text] } },
            ]),
            deadlineMs,
          )
        }
      })

      it('takes arrays as several values', async () => {
        const generation = await generationWith({ a: { title: ['steel wing', 'old bird'] } })
        assert.deepEqual(await ids(generation, planOf([phrase('old bird')])), ['a'])
        assert.deepEqual(await ids(generation, planOf([phrase('wing old')])), [])
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
        const found = (field: string, ...values: (string | number | boolean)[]) =>
          ids(generation, planOf([filter(field, values)]))
        assert.deepEqual(await found('tag', 'x'), ['a', 'b'])
        assert.deepEqual(await found('tag', 'X', 'nothing'), [])
        assert.deepEqual(await found('tag', 'a, b|(c)"', 'y'), ['a', 'c'])
        assert.deepEqual(await found('tag', ''), ['d'])
        assert.deepEqual(await found('year', -0.5), ['b'])
        assert.deepEqual(await found('year', 1e21, 1999), ['a', 'd'])
        assert.deepEqual(await found('year', -0), ['c'])
        assert.deepEqual(await found('good', true), ['a', 'c'])
        assert.deepEqual(await found('added', '2024-02-29'), ['a', 'b'])
        assert.deepEqual(await found('added', '2024-02-29T23:00:00Z'), ['b'])
        assert.deepEqual(await found('added', '2024-03-01T00:00:00.500Z', 'no date'), ['c'])
      })

      it('multiplies by the highest score among the alternatives a document has', async () => {
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
        assert.deepEqual(await scores(generation, planOf([scored as unknown as PlanNode])), {
          a: 2,
          b: 0.5,
          c: 0.5,
        })
        const both = planOf([
          scored as unknown as PlanNode,
          {
            kind: 'lookup',
            alternatives: [
              { score: 10, values: ['b'] },
              { score: 3, values: ['a', 'gone'] },
            ],
          },
        ])
        assert.deepEqual(await scores(generation, both), { a: 6, b: 5 })
        assert.deepEqual(await ids(generation, both), ['a', 'b'])
      })

      it('multiplies by a score that all share', async () => {
        const generation = await generationWith(shelf)
        assert.deepEqual(
          await scores(
            generation,
            planOf([{ kind: 'filter', field: 'year', alternatives: [{ score: 3, values: [1999, 2000] }] }]),
          ),
          { a: 3, b: 3 },
        )
      })

      it('looks up ids, and finds nothing where there is none', async () => {
        const generation = await generationWith(shelf)
        assert.deepEqual(await ids(generation, planOf([lookup('c', 'a', 'zzz')])), ['a', 'c'])
        assert.deepEqual(await engine.search(generation, planOf([lookup('zzz')]), deadlineMs), {
          total: 0,
          best: 0,
          hits: [],
        })
      })

      it('finds ranges, both ends included, either open', async () => {
        const generation = await generationWith(shelf)
        const found = (field: string, from?: string | number, to?: string | number) =>
          ids(
            generation,
            planOf([
              { kind: 'range', field, ...(from !== undefined && { from }), ...(to !== undefined && { to }) },
            ]),
          )
        assert.deepEqual(await found('year', 0, 1999), ['a', 'c'])
        assert.deepEqual(await found('year', 2000), ['b', 'd'])
        assert.deepEqual(await found('year', undefined, -0.5), ['b'])
        assert.deepEqual(await found('year', 5, 4), [])
        assert.deepEqual(await found('added', '2024-02-29', '2024-02-29'), ['a', 'b'])
        assert.deepEqual(await found('added', '2024-03-01'), ['c'])
        assert.deepEqual(await found('tag', 'x', 'y'), ['a', 'b'])
      })

      it('never scores by restrictions', async () => {
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
          planOf([match('wing')]),
        )
        assert.deepEqual(
          await scores(generation, {
            ...planOf([match('wing')]),
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

      it('adds the scores of texts, whatever their order and that of filters', async () => {
        const generation = await generationWith(shelf)
        const [one, two] = [
          await scores(generation, planOf([match('steel')])),
          await scores(generation, planOf([match('wing')])),
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
        const forth = await engine.search(generation, planOf(nodes), deadlineMs)
        assert.deepEqual(await engine.search(generation, planOf(nodes.toReversed()), deadlineMs), forth)
        const sum = await scores(generation, planOf([match('steel'), match('wing')]))
        for (const id of ['a', 'c', 'd']) near(sum[id], (one[id] ?? Number.NaN) + (two[id] ?? Number.NaN))
      })

      it('orders equal scores by id', async () => {
        const generation = await generationWith(shelf)
        const found = await ids(generation, planOf([match('steel wing')]))
        assert.equal(found.indexOf('d') - found.indexOf('a'), 1)
        assert.deepEqual(await ids(generation, planOf([all])), ['a', 'b', 'c', 'd'])
        assert.deepEqual(await ids(generation, { ...planOf([match('steel wing')]), order: [] }), [
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
        await engine.write(generation, [put('e', { title: 'banana', year: -5, tag: 'a' })])
        await engine.refresh(generation)
        const sorted = (field: string, order: 'ascending' | 'descending', ...more: Plan['order']) =>
          ids(generation, { ...planOf([all]), order: [{ by: 'field', field, order }, ...more] })
        assert.deepEqual(await sorted('year', 'ascending'), ['e', 'b', 'a', 'c', 'd'])
        assert.deepEqual(await sorted('year', 'descending'), ['b', 'a', 'c', 'e', 'd'])
        assert.deepEqual(await sorted('tag', 'ascending'), ['e', 'a', 'b', 'c', 'd'])
        assert.deepEqual(await sorted('tag', 'descending'), ['c', 'a', 'b', 'e', 'd'])
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
          ...planOf([scored]),
          order: [{ by: 'field', field: 'year', order: 'descending' }, { by: 'score' }],
        }
        assert.deepEqual(await ids(generation, byYearAndScore), ['b', 'c', 'a'])
        assert.deepEqual(await ids(generation, { ...byYearAndScore, offset: 1, count: 1 }), ['c'])
      })

      it('gives the best score whatever the page, and cuts by probability', async () => {
        const generation = await generationWith(shelf)
        const whole = await engine.search(
          generation,
          { ...planOf([match('wing')]), statistics: true },
          deadlineMs,
        )
        const { best } = whole
        assert.equal(best, whole.hits[0]?.score)
        const later = await engine.search(
          generation,
          { ...planOf([match('wing')]), offset: 2, count: 1 },
          deadlineMs,
        )
        assert.deepEqual([later.best, later.total, later.hits], [best, whole.total, whole.hits.slice(2, 3)])
        const cut = await engine.search(
          generation,
          { ...planOf([match('wing')]), cutoff: 1, statistics: true },
          deadlineMs,
        )
        const kept = whole.hits.filter(hit => hit.score === best)
        assert.deepEqual(
          [cut.total, cut.best, cut.hits, cut.statistics],
          [kept.length, best, kept, Array(10).fill(kept.length)],
        )
        const none = await engine.search(generation, { ...planOf([match('wing')]), count: 0 }, deadlineMs)
        assert.deepEqual([none.total, none.hits], [whole.total, []])
      })

      it('counts exactly how many results have which probability', async () => {
        const generation = await generationWith(
          Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`d${at}`, { year: at + 1 }])),
        )
        const alternatives = Array.from({ length: 10 }, (_, at) => ({
          score: (at + 1) / 10,
          values: [at + 1],
        }))
        const { statistics } = await engine.search(
          generation,
          { ...planOf([{ kind: 'filter', field: 'year', alternatives }]), statistics: true, count: 0 },
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
      const facetOf = async (
        generation: string,
        field: string,
        more: object = {},
        plan = planOf([match('wing')]),
      ) =>
        (
          await engine.search(
            generation,
            { ...plan, count: 0, facet: { field, offset: 0, count: 10, selected: [], ...more } },
            deadlineMs,
          )
        ).facet

      it('counts documents by value, the commonest first, then by bytes', async () => {
        const generation = await generationWith(shelf)
        assert.deepEqual(await facetOf(generation, 'tag', { selected: ['z', 'gone', 'x'] }), {
          options: options(['x', 2], ['y', 1], ['z', 1], ['é', 1]),
          selected: options(['z', 1], ['gone', 0], ['x', 2]),
          distinct: 4,
          largest: 2,
        })
        assert.deepEqual(
          (await facetOf(generation, 'tag', { offset: 1, count: 2 }))?.options,
          options(['y', 1], ['z', 1]),
        )
        assert.deepEqual((await facetOf(generation, 'tag', { offset: 9 }))?.options, [])
      })

      it('writes numbers, truths and moments as clients write them', async () => {
        const generation = await generationWith(shelf)
        assert.deepEqual(
          (await facetOf(generation, 'year'))?.options,
          options(['2', 2], ['1.5', 1], ['10', 1]),
        )
        assert.deepEqual((await facetOf(generation, 'good'))?.options, options(['true', 2], ['false', 1]))
        assert.deepEqual(
          (await facetOf(generation, 'added'))?.options,
          options(['2024-01-01T00:00:00Z', 2], ['2025-01-01T00:00:00Z', 1]),
        )
      })

      it('leaves out options that are too few beside the largest', async () => {
        const generation = await generationWith(shelf)
        const plan = { ...planOf([match('wing')]), statistics: true }
        const facet = await facetOf(generation, 'tag', { cutoff: 0.6, selected: ['y'] }, plan)
        assert.deepEqual(facet, {
          options: options(['x', 2]),
          selected: options(['y', 1]),
          distinct: 1,
          largest: 2,
          statistics: Array(10).fill(1),
        })
        assert.equal((await facetOf(generation, 'tag', { cutoff: 0.5 }))?.distinct, 4)
      })

      it('is empty where nothing is found', async () => {
        const generation = await generationWith(shelf)
        assert.deepEqual(await facetOf(generation, 'tag', {}, planOf([match('nothing')])), {
          options: [],
          selected: [],
          distinct: 0,
          largest: 0,
        })
      })

      it('counts what is left after the cutoff, and has statistics of its own', async () => {
        const generation = await generationWith(shelf)
        const scored: PlanNode = {
          kind: 'lookup',
          alternatives: [
            { score: 1, values: ['a', 'b'] },
            { score: 0.5, values: ['c'] },
          ],
        }
        const plan = { ...planOf([scored]), cutoff: 0.6, statistics: true }
        const facet = await facetOf(generation, 'tag', {}, plan)
        assert.deepEqual(facet?.options, options(['x', 2], ['y', 1]))
        assert.deepEqual(facet?.statistics, [1, 1, 1, 1, 2, 2, 2, 2, 2, 2])
      })
    })

    describe('match that completes and corrects', () => completionSuite(bench))
    describe('facets', () => facetsSuite(bench))
    describe('distances', () => distanceSuite(bench))
    describe('lifetimes', () => lifetimeSuite(bench))
    describe('pages', () => pruningSuite(bench))
    describe('restrictions', () => restrictionsSuite(bench))
    describe('languages', () => languagesSuite(bench, otherForms))
    describe('similar and mix', () => mixSuite(bench))
    curationSuite(bench)
    describe('highlights', () => highlightSuite(bench))
    describe('synonyms', () => synonymsSuite(bench))

    it('ends a search at its deadline', async () => {
      const generation = await generationWith({ a: {} })
      await assert.rejects(engine.search(generation, planOf([all]), 0), withCode('timeout'))
    })

    it('agrees with a simple search in memory, page by page', () =>
      pagesTile(engine, () => `suite-${++generations}`, roundsSums ? Math.fround : undefined))

    describe('scores are those of a plain BM25', () => scoresAreBm25(bench))
  })
}

function options(...counts: [string, number][]) {
  return counts.map(([value, count]) => ({ value, count }))
}

async function idsListed(engine: Engine, generation: string, count: number): Promise<string[]> {
  const found: string[] = []
  for (;;) {
    const page = await engine.list(generation, found.at(-1), count)
    if (page.length === 0) return found
    found.push(...page.map(document => document.id))
  }
}
