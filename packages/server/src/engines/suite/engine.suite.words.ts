import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { GenerationSpec } from '#engines/engine'
import {
  type Bench,
  deadlineMs,
  emptyText,
  makePlan,
  type match,
  typos as typoLengths,
  withSynonyms,
} from './engine.suite.plans.ts'

type MatchNode = ReturnType<typeof match>

const inLanguage = (language: string): GenerationSpec => ({
  fields: [{ name: 'title', type: 'text', language, prefix: true }],
})

/** Returns the match of a text, word by word. */
const plain = (text: string): MatchNode => ({
  kind: 'match',
  text: { ...emptyText, words: text.split(' ') },
  fields: [{ name: 'title', weight: 1 }],
})

const quoted = (text: string): MatchNode => ({ ...plain(''), text: { ...emptyText, phrases: [text] } })

/** Returns the match of a text whose last word is being typed. */
const typing = (text: string, options: Partial<MatchNode> = {}): MatchNode => {
  const words = text.split(' ')
  const unfinished = words.pop() ?? ''
  return {
    ...plain(text),
    ...options,
    text: { ...emptyText, words, unfinished },
    ranking: 'words',
    exact: true,
  }
}

/** Tests that words are found however people write and type them. */
export function wordsSuite({ engine, generationWith, ids }: Bench): void {
  const titles = (language: string, texts: Record<string, string>) =>
    generationWith(
      Object.fromEntries(Object.entries(texts).map(([id, title]) => [id, { title }])),
      inLanguage(language),
    )
  const order = (generation: string, node: MatchNode) => ids(generation, makePlan([node]))
  const findIds = async (generation: string, text: string) =>
    (await order(generation, plain(text))).toSorted()
  const relaxed = async (generation: string, node: MatchNode) =>
    (await engine().search(generation, makePlan([{ ...node, matching: 'relaxed' }]), deadlineMs)).relaxed ??
    []

  it('ranks a word as typed above the two words that it may be', async () => {
    const generation = await titles('english', {
      two: 'Any one of you',
      word: 'Red running shoes for anyone',
      three: 'Some body',
      other: 'Somebody waits in the dark forest',
    })
    assert.deepEqual(await order(generation, plain('anyone')), ['word', 'two'])
    assert.deepEqual(await order(generation, plain('somebody')), ['other', 'three'])
  })

  it('finds with a last word that may be a stop word what it finds without, if nothing has it', async () => {
    const generation = await titles('english', {
      goblet: 'Harry Potter and the Goblet of Fire',
      prince: 'Harry Potter and the Half-Blood Prince',
      stone: 'Harry Potter',
      life: 'Das Leben der Anderen',
      theory: 'Conspiracy Theory',
      beauty: 'Beauty and the Beast',
      mirror: 'Beauty, a mirror of Potter',
    })
    const potters = ['goblet', 'prince']
    for (const matching of ['all', 'relaxed'] as const)
      for (const text of ['harry potter a', 'harry potter an', 'harry potter and', 'harry potter and the']) {
        const node = typing(text, { matching, typos: typoLengths })
        const hits = await order(generation, node)
        assert.deepEqual(hits.toSorted(), potters, `${matching} ${text}`)
        assert.deepEqual(await relaxed(generation, node), [], text)
      }
    assert.deepEqual(await order(generation, typing('beauty an', { matching: 'all' })), ['beauty'])
    assert.deepEqual(await order(generation, typing('beauty mir', { matching: 'all' })), ['mirror'])
    for (const text of ['conspiracy a', 'conspiracy theory wi', 'theory the', 'half-blood th'])
      assert.equal((await order(generation, typing(text, { matching: 'all' }))).length, 1, text)
    assert.deepEqual(await order(generation, typing('theory zeb', { matching: 'all' })), [])
    const rare = typing('beauty zebra an', { matching: 'relaxed' })
    assert.deepEqual(await relaxed(generation, rare), ['zebra'])
  })

  for (const [language, title, other] of [
    ['german', 'Herr und Hund', 'Herr Lehmann'],
    ['french', 'La belle et la bête', 'La belle Hélène'],
    ['dutch', 'Turks fruit met een strik', 'Turks bad'],
    ['spanish', 'Cien años de soledad', 'Cien montaditos'],
    ['finnish', 'Sinuhe ja egyptiläinen', 'Sinuhe'],
  ] as const)
    it(`finds a title at every key while it is typed: ${language}`, async () => {
      const generation = await titles(language, { title, other })
      for (const matching of ['all', 'relaxed'] as const)
        for (let end = title.indexOf(' ') + 2; end <= title.length; end++) {
          const typed = title.slice(0, end)
          if (typed.endsWith(' ')) continue
          const hits = await order(generation, typing(typed, { matching }))
          assert.ok(hits.includes('title'), `${matching} ${typed}`)
        }
    })

  it('finds composed and decomposed texts by each other', async () => {
    for (const [language, text, query] of [
      ['cjk', '대한민국 여행', '대한민국'],
      ['general', '대한민국 여행', '대한민국'],
      ['none', '대한민국 여행', '대한민국'],
      ['none', 'Андрей', 'Андрей'],
      ['russian', 'Андрей', 'Андрей'],
      ['none', 'ガイドブック', 'ガイドブック'],
      ['cjk', 'ガイドブック', 'ガイド'],
      ['hindi', 'क़लम', 'क़लम'],
      ['none', 'Việt Nam', 'Việt'],
    ] as const) {
      const generation = await titles(language, {
        composed: text.normalize('NFC'),
        decomposed: text.normalize('NFD'),
      })
      for (const form of ['NFC', 'NFD'] as const)
        assert.deepEqual(
          await findIds(generation, query.normalize(form)),
          ['composed', 'decomposed'],
          `${language} ${text} ${form}`,
        )
    }
  })

  it('ignores invisible characters inside words', async () => {
    for (const language of ['none', 'general', 'english', 'german']) {
      const generation = await titles(language, {
        ship: 'Donau\u00ADdampf\u00ADschiff',
        lorem: 'Lorem\u2060ipsum',
        mark: 'co\u200Eop\u200D\uFEFFerate',
      })
      assert.deepEqual(await findIds(generation, 'donaudampfschiff'), ['ship'])
      assert.deepEqual(await findIds(generation, 'loremipsum'), ['lorem'])
      assert.deepEqual(await findIds(generation, 'cooperate'), ['mark'])
      assert.deepEqual(await findIds(generation, 'co\u00ADoperate'), ['mark'])
    }
  })

  it('finds digits of any script by each other', async () => {
    const numbers = {
      arabic: '١٢٣٤',
      persian: '۱۲۳۴',
      hindi: '१२३४',
      wide: '１２３４',
      thai: '๑๒๓๔',
      plain: '1234',
    }
    for (const language of ['none', 'general', 'english', 'hindi', 'arabic']) {
      const generation = await titles(language, numbers)
      for (const number of Object.values(numbers))
        assert.deepEqual(
          await findIds(generation, number),
          Object.keys(numbers).toSorted(),
          `${language} ${number}`,
        )
    }
  })

  it('finds the usual spellings of Hindi, Arabic and Persian words by each other', async () => {
    const hindi = await titles('hindi', { letter: 'हिन्दी किताबें', dot: 'हिंदी किताब', moon: 'चाँद' })
    for (const query of ['हिंदी', 'हिन्दी']) assert.deepEqual(await findIds(hindi, query), ['dot', 'letter'])
    assert.deepEqual(await findIds(hindi, 'चांद'), ['moon'])
    for (const language of ['general', 'arabic', 'none']) {
      const generation = await titles(language, { persian: 'کتابی', arabic: 'كتابي' })
      for (const query of ['کتابی', 'كتابي'])
        assert.deepEqual(await findIds(generation, query), ['arabic', 'persian'], language)
    }
  })

  it('finds emoji', async () => {
    for (const language of ['general', 'none', 'english', 'cjk']) {
      const generation = await titles(language, {
        plant: '🌱 plants for you',
        burger: 'Burger🍔',
        flag: 'Flag 🇩🇪🇫🇷',
        hand: '👍🏽 thanks',
      })
      assert.deepEqual(await findIds(generation, '🌱'), ['plant'])
      assert.deepEqual(await findIds(generation, '🍔'), ['burger'])
      assert.deepEqual(await findIds(generation, '🇩🇪'), ['flag'])
      assert.deepEqual(await findIds(generation, '🇫🇷'), ['flag'])
      assert.deepEqual(await findIds(generation, '👍'), ['hand'])
    }
  })

  it('corrects no word with a digit to another', async () => {
    const generation = await titles('english', {
      one: 'Valve 1RG1',
      six: 'Valve 1RG6',
      gasket: 'Gasket C53208',
    })
    const corrected = (text: string) =>
      order(generation, typing(text, { typos: typoLengths, matching: 'all' }))
    assert.deepEqual(await corrected('1RG5'), [])
    assert.deepEqual(await corrected('C53209'), [])
    assert.deepEqual(await corrected('1RG6'), ['six'])
    assert.deepEqual(await corrected('gaskte'), ['gasket'])
  })

  it('names only the dropped parts of a word, each once', async () => {
    const generation = await titles('english', {
      mouse: 'wireless mouse',
      shirt: 'red shirt',
      seal: 'Seal AB-123',
    })
    assert.deepEqual(await relaxed(generation, plain('Wireless-Keyboard')), ['Keyboard'])
    assert.deepEqual(await relaxed(generation, plain('AB-123/4')), ['4'])
    assert.deepEqual(await relaxed(generation, plain('user@shirt.example')), ['user', 'example'])
  })

  it('finds a word typed without its accents, whatever its stem', async () => {
    for (const [language, ...words] of [
      ['french', 'première', 'fiancée', 'créées', 'été', 'Hélène'],
      ['swedish', 'smörgås', 'Ångström', 'lördag'],
      ['hungarian', 'szőlő', 'könyvtár', 'időjárás'],
      ['german', 'Häuser', 'schön', 'Größe'],
      ['spanish', 'canción', 'árboles', 'corazón'],
      ['portuguese', 'coração', 'irmã', 'avião'],
      ['finnish', 'pöytä', 'hääyö'],
      ['italian', 'città', 'università'],
      ['turkish', 'güneş', 'çocuk'],
    ] as const) {
      const generation = await titles(
        language,
        Object.fromEntries(words.map(word => [word, `${word} zzz ${word}`])),
      )
      for (const word of words) {
        const typed = word.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll('ß', 'ss')
        assert.deepEqual(await findIds(generation, typed), [word], `${language} ${typed}`)
        const node = typing(typed, { typos: typoLengths, matching: 'all' })
        assert.equal((await order(generation, node))[0], word, `${language} ${typed}`)
      }
    }
    const generation = await titles('french', { plain: 'premiere' })
    assert.deepEqual(await findIds(generation, 'première'), ['plain'])
  })

  it('finds a phrase typed without its accents, whatever its stems', async () => {
    for (const [language, ...phrases] of [
      ['french', 'café glacé', 'la première fois', 'les créées', 'préféré été'],
      ['spanish', 'una canción triste', 'los árboles', 'el pingüino'],
      ['portuguese', 'mais informações', 'o coração', 'avião irmã'],
      ['italian', 'la città vecchia', "l'università"],
      ['swedish', 'en smörgås', 'lördag kväll', 'småländska köttbullar'],
      ['finnish', 'työpöytä ikkunassa', 'hyvää päivää', 'pöydällä'],
      ['german', 'schöne Häuser', 'die Größe'],
      ['hungarian', 'szőlő könyvtár', 'az időjárás'],
      ['turkish', 'güneş ve çocuk'],
    ] as const) {
      const generation = await titles(
        language,
        Object.fromEntries(phrases.map(phrase => [phrase, `zzz ${phrase} zzz`])),
      )
      for (const phrase of phrases) {
        const plain = phrase
          .normalize('NFD')
          .replaceAll(/\p{M}/gu, '')
          .replaceAll('ß', 'ss')
          .replaceAll('ı', 'i')
        for (const typed of [plain, phrase])
          assert.deepEqual(await order(generation, quoted(typed)), [phrase], `${language} ${typed}`)
      }
    }
    const generation = await titles('french', { plain: 'la premiere fois', other: 'la fois premiere' })
    assert.deepEqual(await order(generation, quoted('la première fois')), ['plain'])
  })

  it('finds plurals by their singulars and the other way around, with accents or without', async () => {
    for (const [language, ...pairs] of [
      [
        'portuguese',
        ['pão', 'pães'],
        ['coração', 'corações'],
        ['irmã', 'irmãs'],
        ['papel', 'papéis'],
        ['fácil', 'fáceis'],
      ],
      [
        'portuguese',
        ['animal', 'animais'],
        ['jardim', 'jardins'],
        ['lençol', 'lençóis'],
        ['inglês', 'ingleses'],
      ],
      [
        'spanish',
        ['imagen', 'imágenes'],
        ['joven', 'jóvenes'],
        ['lápiz', 'lápices'],
        ['alemán', 'alemanes'],
        ['café', 'cafés'],
      ],
      [
        'french',
        ['photo', 'photos'],
        ['ami', 'amis'],
        ['numéro', 'numéros'],
        ['étranger', 'étrangère'],
        ['élève', 'élèves'],
      ],
      ['catalan', ['cançó', 'cançons'], ['germà', 'germans'], ['jardí', 'jardins'], ['estació', 'estacions']],
      ['german', ['Haus', 'Häuser'], ['Buch', 'Bücher'], ['Kühlschrank', 'Kühlschränke']],
      ['dutch', ['idee', 'ideeën'], ['knie', 'knieën'], ['bacterie', 'bacteriën'], ['patiënt', 'patiënten']],
      [
        'swedish',
        ['kokbok', 'kokböcker'],
        ['stad', 'städer'],
        ['öga', 'ögon'],
        ['nyckel', 'nycklar'],
        ['båt', 'båtar'],
      ],
      ['danish', ['skolebog', 'skolebøger'], ['fod', 'fødder'], ['møbel', 'møbler']],
      ['norwegian', ['lærebok', 'lærebøker'], ['natt', 'netter'], ['sykkel', 'sykler']],
      ['hungarian', ['ló', 'lovak'], ['szó', 'szavak'], ['kutya', 'kutyák']],
      ['turkish', ['ışık', 'ışıklar'], ['çiçek', 'çiçeği'], ['kız', 'kızlar']],
      ['finnish', ['työ', 'työt'], ['mökki', 'mökit']],
      ['romanian', ['oraș', 'orașe'], ['mașină', 'mașini']],
    ] as const) {
      const words = pairs.flatMap(pair => [...pair])
      const generation = await titles(
        language,
        Object.fromEntries(words.map(word => [word, `zzz ${word} qqq`])),
      )
      for (const [one, many] of pairs) {
        for (const [word, other] of [
          [one, many],
          [many, one],
        ] as const) {
          const plain = word
            .normalize('NFD')
            .replaceAll(/\p{M}/gu, '')
            .replaceAll('ı', 'i')
            .replaceAll('ø', 'o')
          for (const typed of [word, plain])
            assert.ok((await findIds(generation, typed)).includes(other), `${language} ${typed}: ${other}`)
        }
      }
    }
  })

  it('finds a phrase whose stop words lack accents or have them', async () => {
    for (const [language, ...phrases] of [
      [
        'french',
        "où l'élève",
        'ce jour-là',
        'le prix dû à la mer',
        'dès le matin',
        'sel et maïs',
        'même été',
      ],
      ['spanish', 'yo sé quién eres', 'cómo y dónde', 'la taza de té', 'él está aquí'],
      ['portuguese', 'não é fácil', 'ele dá mais', 'o pôr do sol', 'até nós'],
      ['italian', 'sì e no', 'di là dal fiume', 'né carne né pesce', 'perché no'],
      ['catalan', 'el món és petit', 'sí o no', 'la mà dreta'],
      ['swedish', 'män och kvinnor', 'här är vår bil', 'värt att veta'],
      ['danish', 'før jul', 'én af os', 'rødt hår'],
      ['norwegian', 'vårt hus', 'én av oss', 'før jul'],
      ['german', 'ich hätte gern', 'für mich', 'das wäre schön'],
      ['hungarian', 'fél év', 'még él a remény', 'mély víz'],
      ['turkish', 'öldü sandım', 'yanı başında', 'şu an için'],
      ['romanian', 'pește și carne', 'ține minte'],
      ['lithuanian', 'metų laikai', 'tų dienų'],
      ['irish', 'tá sé anseo', 'an bhfuil tú'],
    ] as const) {
      const documents = phrases.map(phrase => ({
        phrase,
        plain: phrase.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll('ı', 'i').replaceAll('ø', 'o'),
      }))
      const accented = await titles(
        language,
        Object.fromEntries(documents.map(({ phrase }) => [phrase, `zzz ${phrase} zzz`])),
      )
      const plain = await titles(
        language,
        Object.fromEntries(documents.map(({ phrase, plain }) => [phrase, `zzz ${plain} zzz`])),
      )
      for (const document of documents) {
        for (const typed of [document.plain, document.phrase]) {
          assert.deepEqual(await order(accented, quoted(typed)), [document.phrase], `${language} ${typed}`)
          assert.deepEqual(
            await order(plain, quoted(typed)),
            [document.phrase],
            `plain: ${language} ${typed}`,
          )
        }
      }
    }
    const generation = await titles('french', {
      long: 'où vivent les poissons de la mer du Nord au mois de mai',
    })
    assert.deepEqual(await order(generation, quoted('ou vivent les poissons de la mer du nord au mois')), [
      'long',
    ])
  })

  it('finds words written joined, apart or with punctuation by each other', async () => {
    for (const language of ['english', 'none', 'general', 'german']) {
      const generation = await titles(language, {
        spider: 'Spider-Man',
        men: 'X-Men',
        star: 'Star Wars, a new hope',
        wifi: 'wifi router',
        hyphen: 'wi-fi router',
        apart: 'wi fi router',
        large: 'SSD 500GB',
        larger: 'SSD 500 GB',
        phone: 'iPhone15 case',
        phones: 'iPhone 15 case',
        headphones: 'Headphones WH-1000XM4',
        seal: 'Seal AB-123/4',
        airport: 'O’Hare airport',
        call: 'Call +49 (30) 123-4567',
        model: 'Model 1000',
        blues: 'R&B hits',
        bass: 'Drum & Bass',
        basses: "Drum 'n' Bass",
      })
      for (const [text, ...expected] of [
        ['spiderman', 'spider'],
        ['spider man', 'spider'],
        ['xmen', 'men'],
        ['starwars', 'star'],
        ['wifi', 'apart', 'hyphen', 'wifi'],
        ['wi-fi', 'apart', 'hyphen', 'wifi'],
        ['wi fi', 'apart', 'hyphen', 'wifi'],
        ['500gb', 'large', 'larger'],
        ['500 gb', 'large', 'larger'],
        ['iphone15', 'phone', 'phones'],
        ['iphone 15', 'phone', 'phones'],
        ['i phone 15', 'phone', 'phones'],
        ['wh1000xm4', 'headphones'],
        ['wh 1000 xm4', 'headphones'],
        ['ab1234', 'seal'],
        ['ohare', 'airport'],
        ["o'hare", 'airport'],
        ['+49301234567', 'call'],
        ['rnb', 'blues'],
        ['drum n bass', 'bass', 'basses'],
        ['drumnbass', 'bass', 'basses'],
      ] as const) {
        const node = { ...plain(text), matching: 'all' as const }
        assert.deepEqual((await order(generation, node)).toSorted(), expected, `${language} ${text}`)
        const unfinishedNode = typing(text, { typos: typoLengths, matching: 'relaxed' })
        const first = (await order(generation, unfinishedNode)).slice(0, expected.length)
        assert.deepEqual(first.toSorted(), expected, `typed: ${language} ${text}`)
      }
      for (const text of ['spiderm', 'spiderma'])
        assert.deepEqual(await order(generation, typing(text)), ['spider'], text)
      // The spelling as typed comes first.
      for (const [text, first] of [
        ['wifi', 'wifi'],
        ['500gb', 'large'],
        ['500 gb', 'larger'],
      ] as const)
        assert.equal((await order(generation, typing(text, { matching: 'all' })))[0], first, text)
    }
  })

  it('finds compounds by their parts, and words written as one with stop words, letters and typos', async () => {
    const german = await titles('german', {
      cooker: 'Wasserkocher',
      water: 'Wasser',
      prince: 'Der kleine Prinz',
      war: 'Stern Krieg',
      door: 'Haustür',
      window: 'Holzfenster',
      storm: 'Schneesturm',
    })
    const english = await titles('english', {
      vitamin: 'Vitamin C',
      forces: 'Van der Waals',
      menu: 'McDonald menu',
      magazine: 'The Atlantic',
      sale: 'Back to School',
    })
    for (const [generation, text, id] of [
      [german, 'kocher', 'cooker'],
      [german, 'tür', 'door'],
      [german, 'fenster', 'window'],
      [german, 'holz', 'window'],
      [german, 'derkleineprinz', 'prince'],
      [german, 'sternkireg', 'war'],
      [english, 'vitaminc', 'vitamin'],
      [english, 'vanderwaals', 'forces'],
      [english, 'mc donlad', 'menu'],
      [english, 'theatlantic', 'magazine'],
      [english, 'backtoschool', 'sale'],
    ] as const) {
      const node = { ...plain(text), typos: typoLengths, ranking: 'words', matching: 'all' } as const
      assert.deepEqual(await order(generation, node), [id], text)
    }
    assert.deepEqual(await order(german, plain('kocher')), ['cooker'])
    assert.deepEqual(await order(german, plain('tür')), ['door'])
    assert.deepEqual(await order(german, plain('turm')), [])
    for (const [text, id] of [
      ['vanderwaals', 'forces'],
      ['theatlantic', 'magazine'],
      ['backtoschool', 'sale'],
      ['theatlantic menu', 'magazine'],
    ] as const)
      assert.ok((await order(english, plain(text))).includes(id), text)
  })

  it('finds compounds by words that stemmers shorten, by words of two letters, and by words that are English too', async () => {
    for (const [language, ...compounds] of [
      [
        'swedish',
        ['glas', 'vinglas'],
        ['fisk', 'fiskpinne'],
        ['kopp', 'tekopp'],
        ['bryggare', 'kaffebryggare'],
        ['frö', 'solrosfrö'],
      ],
      [
        'danish',
        ['krus', 'tekrus'],
        ['øl', 'hvedeøl'],
        ['kød', 'kødbolle'],
        ['løg', 'hvidløg'],
        ['kedel', 'elkedel'],
      ],
      ['norwegian', ['krus', 'tekrus'], ['is', 'vaniljeis'], ['vase', 'blomstervase'], ['seng', 'barneseng']],
      [
        'german',
        ['Schalter', 'Öldruckschalter'],
        ['Öldruck', 'Öldruckschalter'],
        ['Ventil', 'Überdruckventil'],
        ['Ei', 'Schokoladenei'],
        ['Rasen', 'Rasenmäher'],
        ['Mäher', 'Rasenmäher'],
      ],
      [
        'dutch',
        ['kaars', 'geurkaars'],
        ['kaas', 'geitenkaas'],
        ['koker', 'waterkoker'],
        ['les', 'zwemles'],
        ['tent', 'spiegeltent'],
        ['concert', 'orgelconcert'],
        ['koekjes', 'koekjesdoos'],
      ],
      [
        'finnish',
        ['avain', 'jakoavain'],
        ['ovi', 'autonovi'],
        ['ruukku', 'kukkaruukku'],
        ['puu', 'omenapuu'],
      ],
    ] as const) {
      const words = compounds.map(([, compound]) => compound)
      const generation = await titles(language, Object.fromEntries(words.map(word => [word, word])))
      for (const [part, compound] of compounds)
        assert.ok((await findIds(generation, part)).includes(compound), `${language} ${part}`)
    }
    const dutch = await titles('dutch', { geography: 'geografie', work: 'gewerkt' })
    assert.deepEqual(await findIds(dutch, 'ografie'), [])
    assert.deepEqual(await findIds(dutch, 'werken'), ['work'])
    const swedish = await titles('swedish', { base: 'basis', weather: 'tennis' })
    assert.deepEqual(await findIds(swedish, 'is'), [])
  })

  it('finds the synonyms of mistyped and unfinished words', async () => {
    const generation = await generationWith(
      {
        a: { title: 'Trousers blue' },
        b: { title: 'Pants green' },
        c: { title: 'flat screen' },
        d: { title: 'Pans' },
      },
      inLanguage('english'),
    )
    const addSynonyms = withSynonyms([
      ['trousers', 'pants'],
      ['television', 'flat screen'],
    ])
    const corrected = async (text: string) =>
      (await order(generation, addSynonyms(typing(text, { typos: typoLengths, matching: 'all' })))).toSorted()
    assert.deepEqual(await corrected('trouzers'), ['a', 'b'])
    assert.deepEqual(await corrected('trous'), ['a', 'b'])
    assert.deepEqual(await corrected('televison'), ['c'])
    assert.deepEqual(await corrected('televis'), ['c'])
    assert.deepEqual(await corrected('greene'), ['b'])
  })
}
