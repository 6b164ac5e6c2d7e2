/** Each file of this folder has every text of the pages and mails, in its language. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import en from './en.json' with { type: 'json' }
import { english, findTexts, languageFile, languages, readLanguageFile } from './languages.ts'
import { isPlural, listPlaceholders, mergeTexts } from './merge-texts.ts'
import { buildPageTexts, pageValues } from './page-texts.ts'

const noFaults = { missing: [], unknown: [], placeholders: [], untranslated: [] }

for (const language of languages.filter(other => other !== 'en'))
  test(`every text is there, translated, and has the placeholders of the English one: ${language}`, () => {
    assert.deepEqual(mergeTexts(en, readLanguageFile(language)).faults, noFaults)
  })

test('each JSON file is a language, by its tag', () => {
  const files = readdirSync(import.meta.dirname).filter(file => file.endsWith('.json'))
  assert.deepEqual(
    files.filter(file => !languageFile.test(file)),
    [],
  )
  assert.equal(languages.length, files.length)
  assert.equal(languages[0], 'en')
  const names = languages.map(language => findTexts(language).name)
  assert.equal(new Set(names).size, names.length)
})

/** Paths of texts, with their placeholders, if any. */
const listValues = (value: unknown, path: string): [path: string, placeholders: string[]][] => {
  const text = isPlural(value) ? value.other : value
  if (typeof text === 'string') {
    const placeholders = listPlaceholders(text)
    return placeholders.length === 0 ? [] : [[path, placeholders]]
  }
  return Object.entries(Object(text)).flatMap(([key, part]) =>
    listValues(part, path === '' ? key : `${path}.${key}`),
  )
}

test('the placeholders of page-texts.ts are those of the English texts', () => {
  const declared = Object.entries(pageValues).map(([path, names]) => [path, names.toSorted()] as const)
  assert.deepEqual(Object.fromEntries(listValues(en.pages, '')), Object.fromEntries(declared))
})

/** The English texts as a translation would have them, with one change. */
const translate = (change: (copy: typeof en) => void) => {
  const copy = structuredClone(en)
  const translateAll = (value: Record<string, unknown>): void => {
    for (const [key, part] of Object.entries(value))
      if (typeof part === 'string') value[key] = `${part} *`
      else translateAll(part as Record<string, unknown>)
  }
  const { locale } = copy
  translateAll(copy)
  copy.locale = locale
  change(copy)
  return mergeTexts(en, { ...copy, sameAsEnglish: ['en-GB'] })
}

test('a complete language has no faults, and its texts', () => {
  const { texts, faults } = translate(() => {})
  assert.deepEqual(faults, noFaults)
  assert.equal(texts.pages.login.title, 'Sign in *')
  assert.equal(texts.mails.invitation.text[0], '{inviter} invites you to the workspace {workspace}. *')
})

const faultyCopies: [what: string, fault: object, path: string, change: (copy: typeof en) => unknown][] = [
  [
    'a missing text',
    { missing: ['pages.login.title'] },
    'login.title',
    copy => Reflect.deleteProperty(copy.pages.login, 'title'),
  ],
  [
    'an empty text',
    { missing: ['pages.login.title'] },
    'login.title',
    copy => Object.assign(copy.pages.login, { title: ' ' }),
  ],
  [
    'an object instead of a text',
    { missing: ['pages.login.title'] },
    'login.title',
    copy => Object.assign(copy.pages.login, { title: {} }),
  ],
  [
    'a missing placeholder',
    { placeholders: ['pages.back'] },
    'back',
    copy => Object.assign(copy.pages, { back: 'Back' }),
  ],
  [
    'a placeholder that has no value',
    { placeholders: ['pages.back'] },
    'back',
    copy => Object.assign(copy.pages, { back: 'Back to {app}' }),
  ],
  [
    'a text that nothing shows',
    { unknown: ['pages.login.subtitle'] },
    '',
    copy => Object.assign(copy.pages.login, { subtitle: 'Welcome' }),
  ],
  [
    'an English text',
    { untranslated: ['pages.login.title'] },
    '',
    copy => Object.assign(copy.pages.login, { title: 'Sign in' }),
  ],
]
for (const [what, fault, path, change] of faultyCopies)
  test(`the test names ${what}, and the English text is shown`, () => {
    const { texts, faults } = translate(change)
    assert.deepEqual(faults, { ...noFaults, ...fault })
    const read = (pages: object) =>
      path.split('.').reduce((part: unknown, key) => Object(part)[key], pages as unknown)
    if (path !== '') assert.equal(read(texts.pages), read(en.pages))
  })

test('a mail with a missing link is sent in English, with the link', () => {
  const { texts, faults } = translate(copy => {
    copy.mails.passwordReset.text[1] = 'Open the page.'
  })
  assert.deepEqual(faults, { ...noFaults, placeholders: ['mails.passwordReset.text.1'] })
  assert.deepEqual(texts.mails.passwordReset.text[1], en.mails.passwordReset.text[1])
})

test('a language has the plural forms that its grammar needs', () => {
  const { overview } = en.pages.factors
  const polish = { one: '{count} kod', few: '{count} kody', many: '{count} kodów', other: '{count} kodu' }
  const merge = (codesLeft: object) =>
    mergeTexts(
      { pages: { codesLeft: overview.codesLeft }, locale: 'en' },
      { locale: 'pl', pages: { codesLeft } },
    )
  const { texts, faults } = merge(polish)
  assert.deepEqual(faults, noFaults)
  const pages = structuredClone(en.pages)
  Object.assign(pages.factors.overview, texts.pages)
  const { codesLeft } = buildPageTexts(pages, 'pl').factors.overview
  assert.deepEqual(
    [1, 3, 5, 1.5].map(count => codesLeft({ count })),
    ['1 kod', '3 kody', '5 kodów', '1,5 kodu'],
  )
  assert.deepEqual(merge({ one: '{count} kod', other: '{count} kodu' }).faults.missing, [
    'pages.codesLeft.few',
    'pages.codesLeft.many',
  ])
  assert.deepEqual(merge({ ...polish, two: '{count} kody' }).faults.unknown, ['pages.codesLeft.two'])
  assert.equal(english.pages.factors.overview.codesLeft({ count: 1 }), 'You have 1 unused recovery code.')
})
