import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import type { GenerationSpec, HighlightRequest, PlanNode } from '#engines/engine'
import { chooseRuns } from '#test-runs'
import {
  type Bench,
  corrected,
  deadlineMs,
  emptyText,
  makePlan,
  match,
  matchAll,
  unfinished,
  withSynonyms,
} from './engine.suite.plans.ts'

/** Tests `highlight`: marks around matches, everything else escaped, characters never split. */
export function highlightSuite({ engine, generationWith }: Bench): void {
  const defaultRequest: HighlightRequest = { fields: ['title', 'text'], snippets: 3, chars: 100 }
  const highlights = async (generation: string, node: PlanNode, highlight = defaultRequest) => {
    const { hits } = await engine().search(generation, { ...makePlan([node]), highlight }, deadlineMs)
    return hits.map(hit => hit.highlights)
  }
  const first = async (attributes: object, node: PlanNode, highlight = defaultRequest) =>
    (await highlights(await generationWith({ a: attributes }, typed), node, highlight))[0]

  it('marks every form of a word in place', async () => {
    assert.deepEqual(await first({ title: 'Running: he ran, runs & RUN-ins', text: 'rune' }, match('run')), {
      title: ['<mark>Running</mark>: he ran, <mark>runs</mark> &amp; <mark>RUN</mark>-ins'],
    })
    assert.deepEqual(await first({ title: 'the café, cafe\u0301s' }, match('CAFES the')), {
      title: ['the <mark>café</mark>, <mark>cafe\u0301s</mark>'],
    })
  })

  it('escapes everything else for HTML', async () => {
    const title = `<mark>wing</mark> &amp; "wing's" <script>`
    assert.deepEqual(await first({ title }, match('wing amp')), {
      title: [
        '&lt;mark&gt;<mark>wing</mark>&lt;/mark&gt; &amp;<mark>amp</mark>; &quot;<mark>wing</mark>&#39;s&quot; &lt;script&gt;',
      ],
    })
  })

  it('marks whole phrases, completions and corrections', async () => {
    const title = 'wing of steel, steel wing; winged steal'
    const phrases = { ...match(''), text: { ...emptyText, phrases: ['wing of steel'] } }
    assert.deepEqual(await first({ title }, phrases), {
      title: ['<mark>wing of steel</mark>, steel wing; winged steal'],
    })
    assert.deepEqual(await first({ title }, unfinished('stea')), {
      title: ['wing of steel, steel wing; winged <mark>steal</mark>'],
    })
    assert.deepEqual(await first({ title }, corrected('seel')), {
      title: ['wing of <mark>steel</mark>, <mark>steel</mark> wing; winged steal'],
    })
    assert.deepEqual(await first({ title }, unfinished('s', 'wings')), {
      title: [
        '<mark>wing</mark> of <mark>steel</mark>, <mark>steel</mark> <mark>wing</mark>; <mark>winged</mark> <mark>steal</mark>',
      ],
    })
  })

  it('marks a word as it counts: without corrections where the word itself stands', async () => {
    assert.deepEqual(await first({ title: 'steel and steal' }, corrected('steel')), {
      title: ['<mark>steel</mark> and steal'],
    })
    assert.deepEqual(await first({ title: 'a sting, stinging' }, unfinished('sting')), {
      title: ['a <mark>sting</mark>, <mark>stinging</mark>'],
    })
    assert.deepEqual(await first({ title: 'the state of a stall' }, unfinished('stal')), {
      title: ['the state of a <mark>stall</mark>'],
    })
  })

  it('marks synonyms, and phrases among them as a whole', async () => {
    const addSynonyms = withSynonyms([['tv', 'goggle box'], { from: ['flat screen'], to: ['tv'] }])
    const attributes = { title: 'TV, goggle boxes, a box', text: 'flat screens: tv' }
    const generation = await generationWith({ a: attributes }, typed)
    assert.deepEqual(await highlights(generation, addSynonyms(match('tv'))), [
      {
        title: ['<mark>TV</mark>, <mark>goggle boxes</mark>, a box'],
        text: ['flat screens: <mark>tv</mark>'],
      },
    ])
    assert.deepEqual(await highlights(generation, addSynonyms(match('goggle box'))), [
      {
        title: ['<mark>TV</mark>, <mark>goggle</mark> <mark>boxes</mark>, a <mark>box</mark>'],
        text: ['flat screens: <mark>tv</mark>'],
      },
    ])
    assert.deepEqual(await highlights(generation, addSynonyms(match('flat screen'))), [
      {
        title: ['<mark>TV</mark>, goggle boxes, a box'],
        text: ['<mark>flat</mark> <mark>screens</mark>: <mark>tv</mark>'],
      },
    ])
  })

  it('marks texts in arrays, and words of a mix', async () => {
    const attributes = { title: ['steel wing', 'bird', 'a wing'], text: 'wing', other: 'wing' }
    const node: PlanNode = { kind: 'mix', by: 'rank', parts: [{ weight: 1, node: match('wing') }] }
    assert.deepEqual(
      await first(attributes, node, { ...defaultRequest, fields: ['title', 'other', 'nowhere'] }),
      {
        title: ['steel <mark>wing</mark>', 'a <mark>wing</mark>'],
      },
    )
  })

  it('prefers the snippet with the most words of the query, whatever their forms', async () => {
    const text = 'here are cats and a cat, which sleep all day, while elsewhere lies a striped cat'
    const highlight = { fields: ['text'], snippets: 1, chars: 30 }
    for (const ranking of ['score', 'words'] as const) {
      const node = { ...match('striped cat'), ...(ranking === 'words' && { ranking }) }
      const { text: snippets = [] } = (await first({ text }, node, highlight)) ?? {}
      assert.equal(snippets.length, 1)
      assert.match(snippets[0] ?? '', /<mark>striped<\/mark> <mark>cat<\/mark>/)
    }
  })

  it('has no snippets for documents that matched otherwise', async () => {
    const generation = await generationWith(
      { a: { title: 'wing' }, b: { title: 'bird', text: 'wing' } },
      typed,
    )
    assert.deepEqual(await highlights(generation, matchAll), [{}, {}])
    assert.deepEqual(await highlights(generation, match('bird')), [{ title: ['<mark>bird</mark>'] }])
    const { hits } = await engine().search(
      generation,
      { ...makePlan([matchAll]), restrictions: [match('wing')], highlight: defaultRequest },
      deadlineMs,
    )
    assert.deepEqual(
      hits.map(hit => hit.highlights),
      [{}, {}],
    )
    const plain = await engine().search(generation, makePlan([match('bird')]), deadlineMs)
    assert.equal(plain.hits[0]?.highlights, undefined)
  })

  it('returns the best fragments of a long text in its order', async () => {
    const filler = 'lorem ipsum dolor sit amet '.repeat(10)
    const text = `${filler}one wing ${filler}a wing of steel ${filler}last wing ${filler}`
    const highlight = { fields: ['text'], snippets: 2, chars: 40 }
    const { text: snippets = [] } = (await first({ text }, match('steel wing'), highlight)) ?? {}
    assert.equal(snippets.length, 2)
    assert.match(snippets[0] ?? '', /one <mark>wing<\/mark>/)
    assert.match(snippets[1] ?? '', /a <mark>wing<\/mark> of <mark>steel<\/mark>/)
    for (const snippet of snippets) {
      assert.ok([...plain(snippet)].length <= 40)
      assert.ok(text.includes(plain(snippet)))
    }
  })

  it('returns parts of the text, whatever its content', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 60 }),
        fc.integer({ min: 0, max: 50 }),
        async (pieces, chars) => {
          const title = pieces.join('')
          const snippets = await first({ title }, match('wing steel'), { ...defaultRequest, chars })
          for (const snippet of snippets?.title ?? []) {
            assert.ok(
              title.includes(plain(snippet)),
              `${JSON.stringify(snippet)} of ${JSON.stringify(title)}`,
            )
            assert.match(snippet, /<mark>/)
            assert.ok(plain(snippet).isWellFormed())
            // Words with other characters than spaces between them, such as wing'steel, are found as a whole. Emoji are words too.
            const chunks = title
              .split(/\s/)
              .flatMap(chunk => [
                chunk.replaceAll(/^\P{L}+|[^\p{L}\p{M}]+$/gu, ''),
                chunk.replaceAll(/^[^\p{L}😀]+|[^\p{L}\p{M}😀]+$/gu, ''),
              ])
            for (const [, marked = ''] of snippet.matchAll(/<mark>(.*?)<\/mark>/gs))
              if (!/^(wing|steel|é|e\u0301)+$/.test(marked))
                assert.ok(
                  chunks.includes(plain(marked)),
                  `${JSON.stringify(marked)} of ${JSON.stringify(title)}`,
                )
            if (chars >= 20 && !/(wing|steel|é|e\u0301){3}/.test(title))
              assert.ok([...plain(snippet)].length <= chars)
          }
        },
      ),
      {
        numRuns: chooseRuns(20, 80),
        endOnFailure: true,
        examples: [
          ...["'", '\u0000', '<b>'].map((between): [string[], number] => [['wing', between, 'steel'], 8]),
          [['wing', '"', 'steel', '😀', '😀', '\u0000', '\n', "'", '\n'], 1],
        ],
      },
    ))
}

const typed: GenerationSpec = {
  fields: [
    { name: 'title', type: 'text', language: 'english', prefix: true },
    { name: 'text', type: 'text', language: 'english', prefix: true },
  ],
}

const piece = fc.constantFrom(
  'wing',
  'steel',
  ' ',
  ' ',
  ', ',
  '😀',
  'é',
  'e\u0301',
  '&',
  '<b>',
  '"',
  "'",
  '&amp;',
  '\u0000',
  '\n',
)

/** Returns the text of a snippet without marks. */
function plain(snippet: string): string {
  return snippet
    .replaceAll(/<\/?mark>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}
