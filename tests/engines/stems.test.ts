/** Compares the stemmers of the embedded engine with Snowball's own Python: which words are forms of one word. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openEmbeddedEngine } from '#server/engines/embedded/embedded'
import type { Engine } from '#server/engines/engine'
import { inLanguage, samples } from '#server/engines/suite/engine.suite.languages'
import { entity, makePlan, match } from '#server/engines/suite/engine.suite.plans'
import { runPython } from '#tests/support/python'

/** Invented stems and real endings of the language, because a stemmer only sees characters. None makes a stop word. */
const parts: Readonly<Record<keyof typeof samples, [stems: string, endings: string]>> = {
  arabic: ['كتاب مدرس معلم سيار أحمد مكتب جامع بلد', ' ة ات ون ين ان ها هم ه ي نا كم تان تين يه'],
  armenian: [
    'քաղաք գիրք մարդ աշխատ երկիր լեզու գեղեց տուն',
    ' ը ի ով ում ներ ները ներից ներով եր երը ական ություն ել իկ',
  ],
  basque: [
    'etxe mendi lagun liburu herri gizon eskola lan',
    ' a ak an en ean etan aren arekin ko tik ra tasun keta garri',
  ],
  catalan: [
    'cas gat llibret nen cant nacional actiu bell',
    ' a es s ar ant at ada ment ció cions itat ós osa ista',
  ],
  danish: [
    'bil hus dag kvind skol bog arbejd lær',
    ' e en et er erne ene ens ets ers ede ende heden heder lig ig else',
  ],
  dutch: [
    'fiets boek werk lichaam kamp maan vrouw groot',
    ' e en s je jes heid heden elijk ing ingen baar end ene',
  ],
  english: [
    'connect relat general happi run adjust oper hope',
    ' s ed ing ion ions ment ness ly fulness ational izer ive able',
  ],
  estonian: ['raamat maja linn auto kool laps mets töö', ' u i s d st le l lt ks ni na ta ga de dega dele'],
  finnish: [
    'talo kirja auto kala puu tytö maa lehti',
    ' n ssa sta lla lta lle na ksi t ja jen issa ista ille ni nsa kin',
  ],
  french: [
    'chant nation march continu activ joli port amour',
    ' e s es er é ée ons ez ait aient ement ation ations if ives eux euse',
  ],
  german: [
    'haus häus kind buch büch lauf frei schön',
    ' e en er ern es em st est heit heiten lich ig ung ungen end isch',
  ],
  greek: ['βιβλί δρόμ σπίτ γυναίκ παιδ θάλασσ ωραί εργάτ', ' ο ος ου οι ους α ας ες ων ια ιων ής ικός ικά'],
  hindi: ['किताब लड़क शहर नगर नदि अच्छ काम बात', ' ा े ी ों ें ियां ियों ता ना ने कर ाएं'],
  hungarian: [
    'ház kert könyv ablak asztal ember város szép',
    ' ak ek ok at et ot ban ben ból nak nek hoz hez val vel ért ig unk',
  ],
  indonesian: ['baca ajar rumah main tulis kerja makan lihat', ' an kan i nya ku mu lah kah annya kannya'],
  irish: [
    'cailín bád fear leabhar siopa múinteoir scoil teanga',
    ' í a aí acha anna the te íocht úil óir achta aithe',
  ],
  italian: [
    'ragazz libr cas parl nazion attiv bell am',
    ' o a i e are ato ati ando mente zione zioni ivo iva ità oso osi',
  ],
  lithuanian: [
    'knyg nam vaik miest darb graž kalb žmon',
    ' a os ų oje as ai o uose ui us ė ės iai ybė ininkas',
  ],
  norwegian: [
    'bil hus dag kvinn skol bok arbeid lær',
    ' e en et er ene ens ets ers ede ende heten heter lig ig else',
  ],
  portuguese: [
    'menin cas livr fal nacion ativ bel am',
    ' o a os as ar ado ando mente ção ções ivo iva idade oso osa ia',
  ],
  romanian: [
    'copi cas carte lucr nation activ frumos om',
    ' ul ului ilor ele elor i e a am at ați are ică itate ist',
  ],
  russian: [
    'книг город дом работ красив нов суд стол',
    ' а у и ы ой ами ах ов ом е ый ая ого ему ил ать ость ости',
  ],
  spanish: [
    'niñ cas libr habl nacion activ bell am',
    ' o a os as ar ado ando mente ción ciones ivo iva idad oso osa ía',
  ],
  swedish: [
    'bil hus dag flick skol bok arbet lär',
    ' e en et ar arna orna or ens ade ande het heten lig ig else',
  ],
  turkish: [
    'kitap araba kapı göz okul çiçek defter yol',
    ' lar ler da de dan den ım im ın in lık lik cı ci ları leri',
  ],
}

let engine: Engine
let dataDir: string
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'querent-stems-'))
  engine = await openEmbeddedEngine({ dataDir })
})
after(async () => {
  await engine.close()
  await rm(dataDir, { recursive: true })
})

const makeWords = (language: string): string[] => {
  const [stems = '', endings = ''] = parts[language] ?? []
  const combinedWords = stems.split(' ').flatMap(stem => endings.split(' ').map(ending => stem + ending))
  const sampled = (samples[language]?.forms ?? []).flat().map(word => word.toLocaleLowerCase('tr'))
  return [...new Set([...combinedWords, ...(language === 'english' ? [] : sampled)])]
}

const words = Object.fromEntries(Object.keys(samples).map(language => [language, makeWords(language)]))
/** Returns the word without its accents, as many people type it. */
const withoutAccents = (word: string): string =>
  word.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ı', 'i')
const readStems = async (lists: Record<string, string[]>) =>
  // The output of stems.py.
  (await runPython('stems.py', [], JSON.stringify(lists))) as Record<string, string[]>
const [stems, plainStems] = await Promise.all([
  readStems(words),
  readStems(
    Object.fromEntries(Object.entries(words).map(([language, list]) => [language, list.map(withoutAccents)])),
  ),
])
/** In these languages a word is also found in compounds, or its stem depends on accents and plurals that Snowball does not know. */
const closeLanguages = ['danish', 'dutch', 'finnish', 'german', 'norwegian', 'swedish'].concat(
  ['armenian', 'catalan', 'estonian', 'french', 'hungarian', 'irish', 'italian'],
  ['portuguese', 'romanian', 'spanish', 'turkish'],
)
/** Characters of an invented stem that a compound begins with, and that a form has. */
const stemCharacters = 3
const hasInventedStem = (language: string, hit: string, word: string): boolean => {
  const [form = '', typed = ''] = [hit, word]
    .map(withoutAccents)
    .map(plain => (language === 'irish' ? withoutMutation(plain) : plain))
  return closeLanguages.includes(language) && form.startsWith(typed.slice(0, stemCharacters))
}
/** Grammar adds letters to the beginning of Irish words: gcailín, mbád, fhear. */
const withoutMutation = (word: string): string =>
  word.replace(/^(?:g(?=c)|m(?=b))/, '').replace(/^([bcdfgmpst])h/, '$1')

for (const [language, list] of Object.entries(words)) {
  test(`${language}: ${list.length} words match the same words as in Snowball, and only forms and compounds of them`, async () => {
    await engine.open(language, inLanguage(language))
    await engine.write(
      language,
      list.map(word => ({ put: { id: word, entity: entity(word, { title: word }) } })),
    )
    await engine.refresh(language)
    const languageStems = stems[language] ?? []
    assert.equal(languageStems.length, list.length)
    for (const [index, word] of list.entries()) {
      const listStems = (at: number) => [languageStems[at], plainStems[language]?.[at]]
      const required = list.filter((_, other) => languageStems[other] === languageStems[index])
      const allowed = list.filter((_, other) =>
        listStems(other).some(stem => listStems(index).includes(stem)),
      )
      const plan = {
        ...makePlan([{ ...match(word), fields: [{ name: 'title', weight: 1 }] }]),
        order: [],
        count: 500,
      }
      const { hits } = await engine.search(language, plan, 10_000)
      const foundWords = hits.map(hit => String(JSON.parse(hit.entity).id))
      const isAllowed = (hit: string) => allowed.includes(hit) || hasInventedStem(language, hit, word)
      assert.deepEqual(
        required.filter(other => !foundWords.includes(other)),
        [],
        word,
      )
      assert.deepEqual(
        foundWords.filter(hit => !isAllowed(hit)),
        [],
        word,
      )
    }
  })
}
