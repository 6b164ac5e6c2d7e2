/** The texts of the pages in all languages. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Language, languages } from '#accounts/languages'
import { chooseLocale } from '#oauth/pages/language'

/** Words that other languages may share with English. */
const sharedWords = ['Privacy', 'Code', 'Passkey', 'Passkeys', 'Passkey 1']

/** Texts by their path; functions write theirs with numbers for what they insert. */
const listTexts = (value: unknown, path: readonly string[] = []): [path: string, text: string][] => {
  if (typeof value === 'string') return [[path.join('.'), value]]
  if (typeof value === 'function') return listTexts(value('1', '2', '3', '4'), path)
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, part]) => listTexts(part, [...path, key]))
    : []
}

const readTexts = (language: Language): Map<string, string> =>
  new Map(
    listTexts(
      chooseLocale({ chosenLanguage: language, acceptLanguage: undefined, uiLocales: undefined }).texts,
    ),
  )

const english = readTexts('en')

for (const language of languages.filter(other => other !== 'en'))
  test(`every text of the pages is translated: ${language}`, () => {
    const translated = readTexts(language)
    const missing = [...english].filter(
      ([path, text]) =>
        !translated.get(path)?.trim() || (translated.get(path) === text && !sharedWords.includes(text)),
    )
    const unused = [...translated.keys()].filter(path => !english.has(path))
    assert.deepEqual({ missing, unused }, { missing: [], unused: [] })
    assert.ok(english.size > 250)
  })
