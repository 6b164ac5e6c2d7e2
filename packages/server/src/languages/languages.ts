/**
 * Languages of the sign-in pages and mails. Each JSON file of this folder is one, and its name is the tag of the language. English is the
 * reference: its keys are the type of the texts, and its text is shown where another language lacks one (CONTRIBUTING.md, A language).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import en from './en.json' with { type: 'json' }
import { mergeTexts } from './merge-texts.ts'
import { buildPageTexts, type PageTexts } from './page-texts.ts'

/** Tag of a language that has a file: `nl`. */
export type Language = string

export type MailTexts = (typeof en)['mails']

export interface LanguageTexts {
  /** The language's own name. */
  name: string
  /** Tag by which dates and numbers are written. */
  locale: string
  pages: PageTexts
  mails: MailTexts
}

const reference = 'en'
/** Two or three letters (RFC 5646, section 2.2.1), without a region. */
export const languageFile = /^([a-z]{2,3})\.json$/

/** Returns the content of a language's file. Throws an error that names the file if there is none, or if it is not JSON. */
export const readLanguageFile = (language: Language): unknown => {
  const file = join(import.meta.dirname, `${language}.json`)
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new Error(`cannot read the texts in ${file}`, { cause })
  }
}

const buildTexts = (language: Language): LanguageTexts => {
  const { texts } = mergeTexts(en, language === reference ? en : readLanguageFile(language))
  const { name, locale, pages, mails } = texts
  return { name, locale, pages: buildPageTexts(pages, locale), mails }
}

const tags = readdirSync(import.meta.dirname).flatMap(file => languageFile.exec(file)?.[1] ?? [])

/** English, then the others by tag. */
export const languages: readonly Language[] = [reference, ...tags.filter(tag => tag !== reference).toSorted()]

export const english = buildTexts(reference)

const textsByLanguage: ReadonlyMap<Language, LanguageTexts> = new Map(
  languages.map(language => [language, language === reference ? english : buildTexts(language)]),
)

/** Returns the texts of a language; those in English if the language is unknown. */
export const findTexts = (language: Language): LanguageTexts => textsByLanguage.get(language) ?? english

/** Returns the language the person last read; default English. */
export const findLanguage = (person: { language: string | null }): Language =>
  languages.find(language => language === person.language) ?? reference
