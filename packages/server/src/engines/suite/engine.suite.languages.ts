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

/** Samples for each language of the contract with stop words. */
export const samples: Readonly<Record<string, Sample>> = {
  arabic: {
    forms: [
      ['المدرسة', 'مدرسة'],
      ['المعلمون', 'المعلمين'],
      ['سيارة', 'السيارات'],
    ],
    stop: 'في من على',
  },
  armenian: {
    forms: [
      ['Քաղաք', 'քաղաքներ'],
      ['մարդիկ', 'ՄԱՐԴՈՒ'],
      ['աշխատել', 'աշխատում'],
    ],
    stop: 'այդ և են',
  },
  basque: {
    forms: [
      ['etxeak', 'etxeen'],
      ['mendiko', 'MENDI'],
      ['lagunak', 'lagun'],
    ],
    stop: 'eta da ez',
  },
  catalan: {
    forms: [
      ['llibreter', 'llibreters'],
      ['gats', 'GAT'],
      ['nacionals', 'nacional'],
    ],
    stop: 'el la de amb',
  },
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
      ['groene', 'groen'],
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
  estonian: {
    forms: [
      ['Raamat', 'raamatud'],
      ['majas', 'majad'],
      ['linnas', 'LINNAD'],
    ],
    stop: 'ja ei ka',
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
  greek: {
    forms: [
      ['Βιβλία', 'βιβλίου'],
      ['δρόμος', 'ΔΡΌΜΟΙ'],
      ['γυναίκα', 'γυναικες'],
    ],
    stop: 'και το της',
  },
  hindi: {
    forms: [
      ['किताब', 'किताबें'],
      ['लड़का', 'लडकों'],
      ['शहर', 'शहरों'],
    ],
    stop: 'और का में',
  },
  hungarian: {
    forms: [
      ['Házak', 'házakat'],
      ['kertben', 'kertek'],
      ['könyvek', 'KÖNYVET'],
    ],
    stop: 'a az és nem',
  },
  indonesian: {
    forms: [
      ['Membaca', 'bacaan'],
      ['mengajar', 'PELAJARAN'],
      ['buku', 'bukunya'],
    ],
    stop: 'yang dan di',
  },
  irish: {
    forms: [
      ['bád', 'mbád'],
      ['fear', 'fhear'],
      ['cailín', 'GCAILÍN'],
    ],
    stop: 'an agus na',
  },
  italian: {
    forms: [
      ['Ragazzo', 'ragazzi'],
      ['libro', 'LIBRI'],
      ['casa', 'case'],
    ],
    stop: 'il della e non',
  },
  lithuanian: {
    forms: [
      ['Knyga', 'knygoje'],
      ['namas', 'namai'],
      ['vaikas', 'VAIKŲ'],
    ],
    stop: 'ir yra su',
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
})

export function languagesSuite({ generationWith, ids, scores }: Bench): void {
  const inTitle = (text: string) => ({ ...match(text), fields: [{ name: 'title', weight: 1 }] })
  const titled = (text: string) => makePlan([inTitle(text)])

  for (const [language, { forms, stop }] of Object.entries(samples)) {
    it(`${language}: a form of a word finds the others, and stop words count only if there are no other words`, async () => {
      const words = forms.map(([indexedForm], index) => [`form${index}`, { title: indexedForm }])
      const plain = await generationWith(
        Object.fromEntries([...words, ['stop', { title: stop }]]),
        inLanguage(language),
      )
      for (const [index, [indexedForm, queryForm]] of forms.entries()) {
        const expected = [`form${index}`]
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
      const first = forms[0] ?? ['', '']
      const documents = { plain: { title: first[0] }, wordy: { title: `${stop} ${first[0]} ${stop}` } }
      const scoresByName = await scores(
        await generationWith(documents, inLanguage(language)),
        titled(first[1]),
      )
      assert.equal(scoresByName.plain, scoresByName.wordy)
    })
  }

  it('cjk: finds a word within a text without spaces, and folds wide and narrow letters', async () => {
    const generation = await generationWith(
      {
        tokyo: { title: '東京都に行く' },
        kyoto: { title: '京都の寺' },
        guide: { title: 'ガイド付き iPhone用' },
        seoul: { title: '서울시 여행' },
        dog: { title: '犬' },
      },
      inLanguage('cjk'),
    )
    assert.deepEqual(await ids(generation, titled('東京')), ['tokyo'])
    assert.deepEqual((await ids(generation, titled('京都'))).toSorted(), ['kyoto', 'tokyo'])
    assert.deepEqual(await ids(generation, titled('ｶﾞｲﾄﾞ')), ['guide'])
    assert.deepEqual(await ids(generation, titled('ｉＰｈｏｎｅ')), ['guide'])
    assert.deepEqual(await ids(generation, titled('서울')), ['seoul'])
    assert.deepEqual(await ids(generation, titled('犬')), ['dog'])
    assert.deepEqual(await ids(generation, titled('都京')), [])
  })

  it('cjk, general: documents with a word come before those with the same characters in other words', async () => {
    for (const language of ['cjk', 'general']) {
      const judged = [
        ['京都', '京都の紅葉', '東京都の天気'],
        ['大学', '大学に行く', '最大学習率'],
        ['上海', '上海旅行', '海上海事局'],
        ['人工智能', '人工智能导论', '人工服务智能化'],
        ['猫', '猫が好き', undefined],
      ] as const
      for (const [query, first, second] of judged) {
        const generation = await generationWith(
          { a: { title: second ?? 'x' }, b: { title: first } },
          inLanguage(language),
        )
        for (const node of [inTitle(query), { ...inTitle(query), ranking: 'words' as const }])
          assert.equal((await ids(generation, makePlan([node])))[0], 'b', `${language} ${query}`)
      }
      const generation = await generationWith(
        { a: { title: '寿司🍣大好き' }, b: { title: '寿司' } },
        inLanguage(language),
      )
      const strict = { ...inTitle('寿司大好き'), matching: 'all' as const }
      assert.deepEqual(await ids(generation, makePlan([strict])), ['a'])
    }
  })

  it('an exact text comes first in languages without spaces, and in Turkish', async () => {
    for (const [language, text] of [
      ['cjk', '東京都'],
      ['general', 'ภาษาไทย'],
      ['turkish', 'İSTANBUL'],
    ] as const) {
      const documents = { longer: { title: `${text}, ${text}` }, whole: { title: text } }
      const generation = await generationWith(documents, inLanguage(language))
      const node = { ...match(text), fields: [{ name: 'title', weight: 1 }], exact: true }
      assert.equal((await ids(generation, makePlan([node])))[0], 'whole', language)
    }
  })

  it('general: ignores accents of any script, and splits Thai, Lao and Khmer', async () => {
    const generation = await generationWith(
      {
        tree: { title: 'Ёлка, й' },
        books: { title: 'كُتُب أحمد' },
        road: { title: 'Ὁδὸς' },
        language: { title: 'ภาษาไทย' },
        lao: { title: 'ພາສາລາວ' },
        khmer: { title: 'ភាសាខ្មែរ' },
        tokyo: { title: '東京都' },
        runs: { title: 'Runs the Éclair' },
      },
      inLanguage('general'),
    )
    assert.deepEqual(await ids(generation, titled('елка')), ['tree'])
    assert.deepEqual(await ids(generation, titled('كتب')), ['books'])
    assert.deepEqual(await ids(generation, titled('احمد')), ['books'])
    assert.deepEqual(await ids(generation, titled('ΟΔΟΣ')), ['road'])
    assert.deepEqual(await ids(generation, titled('ไทย')), ['language'])
    assert.deepEqual(await ids(generation, titled('ລາວ')), ['lao'])
    assert.deepEqual(await ids(generation, titled('ខ្មែរ')), ['khmer'])
    assert.deepEqual(await ids(generation, titled('京都')), ['tokyo'])
    assert.deepEqual(await ids(generation, titled('run')), [])
    assert.deepEqual(await ids(generation, titled('the eclair')), ['runs'])
  })

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
