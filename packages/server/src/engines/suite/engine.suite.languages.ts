import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { GenerationSpec } from '#engines/engine'
import { type Bench, makePlan, match } from './engine.suite.plans.ts'

interface Sample {
  /** Pairs of forms of one word. */
  forms: [string, string][]
  /** Stop words. */
  stop: string
}

/** Samples for each language of the contract. */
export const samples: Readonly<Record<string, Sample>> = {
  danish: {
    forms: [
      ['Husene', 'huset'],
      ['bilerne', 'bilen'],
      ['dagene', 'DAGEN'],
    ],
    stop: 'og det er ikke',
  },
  dutch: {
    forms: [
      ['lichamelijke', 'Lichamelijk'],
      ['bomen', 'BOOM'],
      ['boeken', 'boek'],
    ],
    stop: 'de het een en',
  },
  english: {
    forms: [
      ['Running', 'runs'],
      ['cities', 'city'],
      ['connected', 'CONNECTIONS'],
    ],
    stop: 'the and of',
  },
  finnish: {
    forms: [
      ['Talossa', 'talon'],
      ['kirjassa', 'kirjan'],
      ['autossa', 'AUTON'],
    ],
    stop: 'ja että on',
  },
  french: {
    forms: [
      ['Chansons', 'chanson'],
      ['nationales', 'national'],
      ['continuelle', 'CONTINUELLEMENT'],
    ],
    stop: 'le les et dans',
  },
  german: {
    forms: [
      ['Häuser', 'HÄUSERN'],
      ['Bücher', 'büchern'],
      ['Kinder', 'kindern'],
    ],
    stop: 'der die und nicht',
  },
  hungarian: {
    forms: [
      ['Házak', 'házakat'],
      ['kertben', 'kertek'],
      ['könyvek', 'KÖNYVET'],
    ],
    stop: 'a az és nem',
  },
  italian: {
    forms: [
      ['Ragazzo', 'ragazzi'],
      ['libro', 'LIBRI'],
      ['casa', 'case'],
    ],
    stop: 'il della e non',
  },
  norwegian: {
    forms: [
      ['Husene', 'huset'],
      ['bilene', 'bilen'],
      ['dagene', 'DAGEN'],
    ],
    stop: 'og det er ikke',
  },
  portuguese: {
    forms: [
      ['Meninos', 'menino'],
      ['casas', 'casa'],
      ['livros', 'LIVRO'],
    ],
    stop: 'o e não uma',
  },
  romanian: {
    forms: [
      ['Copiilor', 'copii'],
      ['caselor', 'case'],
      ['știință', 'ŞTIINŢE'],
    ],
    stop: 'și în nu este',
  },
  russian: {
    forms: [
      ['Книги', 'книгу'],
      ['города', 'ГОРОДОВ'],
      ['домами', 'домов'],
    ],
    stop: 'и в не на',
  },
  spanish: {
    forms: [
      ['Niños', 'niño'],
      ['casas', 'casa'],
      ['libros', 'LIBRO'],
    ],
    stop: 'el la y de',
  },
  swedish: {
    forms: [
      ['Husen', 'huset'],
      ['bilarna', 'bilar'],
      ['flickorna', 'FLICKOR'],
    ],
    stop: 'och det är inte',
  },
  turkish: {
    forms: [
      ['KİTAPLAR', 'kitap'],
      ['okullar', 'okul'],
      ['çiçekler', 'ÇİÇEK'],
    ],
    stop: 've bir bu için',
  },
}

/** Returns a spec with a field `title` in this language. */
export const inLanguage = (language: string): GenerationSpec => ({
  fields: [{ name: 'title', type: 'text', language, prefix: false }],
  synonyms: [],
})

export function languagesSuite(
  { generationWith, ids, scores }: Bench,
  otherForms: Readonly<Record<string, readonly string[]>>,
): void {
  const titled = (text: string) => makePlan([{ ...match(text), fields: [{ name: 'title', weight: 1 }] }])

  for (const [language, { forms, stop }] of Object.entries(samples)) {
    it(`${language}: a form of a word finds the others, and stop words count only if there are no other words`, async () => {
      const words = forms.map(([indexedForm], index) => [`form${index}`, { title: indexedForm }])
      const plain = await generationWith(
        Object.fromEntries([...words, ['stop', { title: stop }]]),
        inLanguage(language),
      )
      for (const [index, [indexedForm, queryForm]] of forms.entries()) {
        const expected = otherForms[language]?.includes(indexedForm) ? [] : [`form${index}`]
        assert.deepEqual(await ids(plain, titled(queryForm)), expected, `${queryForm} finds ${indexedForm}`)
        assert.deepEqual(await ids(plain, titled(`${stop} ${queryForm}`)), expected, `${stop} ${queryForm}`)
        assert.deepEqual(
          await scores(plain, titled(`${stop} ${queryForm}`)),
          await scores(plain, titled(queryForm)),
        )
      }
      for (const word of stop.split(' '))
        for (const queryForm of [word, word.toLocaleUpperCase(language === 'turkish' ? 'tr' : 'en')])
          assert.deepEqual(await ids(plain, titled(queryForm)), ['stop'], queryForm)

      // Stop words do not count as part of the length of a text either.
      const first = forms.find(([indexedForm]) => !otherForms[language]?.includes(indexedForm)) ?? ['', '']
      const documents = { plain: { title: first[0] }, wordy: { title: `${stop} ${first[0]} ${stop}` } }
      const scoresByName = await scores(
        await generationWith(documents, inLanguage(language)),
        titled(first[1]),
      )
      assert.equal(scoresByName.plain, scoresByName.wordy)
    })
  }

  it('none: splits words and ignores case and accents, without stems and stop words', async () => {
    const generation = await generationWith(
      { run: { title: 'run, the' }, runs: { title: 'Runs-éclair' }, the: { title: 'the' } },
      inLanguage('none'),
    )
    assert.deepEqual(await ids(generation, titled('run')), ['run'])
    assert.deepEqual(await ids(generation, titled('RUNS')), ['runs'])
    assert.deepEqual(await ids(generation, titled('Eclair')), ['runs'])
    assert.deepEqual((await ids(generation, titled('the run'))).toSorted(), ['run', 'the'])
  })
}
