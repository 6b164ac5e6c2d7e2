/**
 * Texts of the console in the person's language. The key of a text is the English text itself, so pages read as they look:
 * `t('Import into {collection}', { collection })`. A language is one file of this folder, loaded before the pages.
 *
 * No library: the smallest one adds 9 KB to every page, 5 % of its budget.
 */

import type { ErrorPlace } from '@querent/contract/errors'
import { createElement, Fragment, type ReactNode } from 'react'
import type { Catalog, FaultCatalog } from './catalog.ts'
import { interpolate, matchText, placeholder, translateParts, type Values } from './placeholders.ts'

/** Names of the languages, each in itself. */
export const languages = { en: 'English', nl: 'Nederlands' } as const
export type Language = keyof typeof languages

const storageKey = 'querent-language'
const isLanguage = (tag: string): tag is Language => tag in languages

/**
 * Returns the language that the person chose last, on a page of the sign-in or here, or the first of the browser's that the console has, or
 * English. A choice here also reaches the cookie of the sign-in.
 */
const readLanguage = (): Language => {
  const [, cookie] = /(?:^|;\s*)querent_language=([a-z]{2,3})(?![a-z])/.exec(document.cookie) ?? []
  const chosen = cookie ?? localStorage.getItem(storageKey)
  const tags = [chosen ?? '', ...navigator.languages.map(tag => tag.split('-')[0] ?? '')]
  return tags.find(isLanguage) ?? 'en'
}

/** The language of this page; it stays the same until the page is loaded again. */
export const language: Language = readLanguage()

/** For dates: day before month and 24 hours, which nobody reads in another order. */
export const dateLocale = language === 'en' ? 'en-GB' : language

const catalogs: Readonly<Record<Exclude<Language, 'en'>, () => Promise<Catalogs>>> = {
  nl: async () => {
    const { nl, nlFaults } = await import('./nl.ts')
    return { texts: nl, faults: nlFaults }
  },
}

interface Catalogs {
  texts: Catalog
  /** Absent in English, which the server writes. */
  faults?: FaultCatalog
}

// Modules that import this one wait for the texts, so they may call `t` when they load.
const { texts: catalog, faults: faultCatalog }: Catalogs =
  language === 'en' ? { texts: {} } : await catalogs[language]()
document.documentElement.lang = language

/** Stores the language and loads the page again in it. */
export const changeLanguage = (chosen: Language): void => {
  localStorage.setItem(storageKey, chosen)
  location.reload()
}

/** Translates a text and fills its placeholders: `t('Delete {name}?', { name })`. The text must be a literal. */
export const t = (text: string, values: Values = {}): string => {
  const translation = catalog[text]
  return interpolate(typeof translation === 'string' ? translation : text, values)
}

/** Returns what is wrong at a place of the input: in the person's language, if the fault has a code, or else the server's message. */
export const translateFault = ({ message, code = '', values = {} }: ErrorPlace): string => {
  if (!faultCatalog) return message
  const { requirements, faults, hints } = faultCatalog
  const isRequirement = Object.hasOwn(requirements, code)
  const text = faults[isRequirement ? 'not-allowed' : code]
  const codes = isRequirement ? [code] : String(values.allowed ?? '').split(' ')
  const allowed = codes.map(one => requirements[one] ?? '')
  const hint = hints[values.hint ?? ''] ?? ''
  // A newer server may know more codes.
  if (text === undefined || (values.allowed !== undefined && allowed.includes(''))) return message
  const words = translateValues(values, faultCatalog)
  const choices = allowed.map(one => interpolate(one, words))
  return interpolate(text + hint, { ...words, allowed: alternatives.format(choices) })
}

/** Translates a sentence of a check of a request, which the server writes in English; undefined in English, or if it is unknown. */
export const translateCheck = (sentence: string): string | undefined => {
  for (const [text, translation] of Object.entries(faultCatalog?.checks ?? {})) {
    const values = matchText(text, sentence)
    if (values) return interpolate(translation, values)
  }
  return undefined
}

/** Translates a sentence about a document that an import cannot read, with its parts; undefined in English, or if it is unknown. */
export const translateImport = (sentence: string): string | undefined =>
  faultCatalog && translateParts(faultCatalog.imports, sentence)

/** The server writes `6.0`. */
const readDecimals = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      /^\d+\.\d$/.test(String(value)) ? Number(value) : value,
    ]),
  )

/** Translates the parts of a sentence of a health check; undefined in English, or if one is unknown, as a newer server may have more. */
export const translateHealth = (
  parts: readonly { code: string; values: Values }[] | undefined,
): string | undefined => {
  const texts = parts?.map(({ code, values }) => {
    const text = faultCatalog?.health[code]
    if (typeof text !== 'object') return text && interpolate(text, readDecimals(values))
    const isOne = pluralRules.select(Number(values.count)) === 'one'
    return interpolate(isOne ? text.one : text.other, values)
  })
  return texts?.includes(undefined) ? undefined : texts?.join('')
}

const translateValues = (values: Values, catalog: FaultCatalog): Values =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, catalog.values[value] ?? value]))

const alternatives = new Intl.ListFormat(language, { type: 'disjunction' })
const conjunction = new Intl.ListFormat(language, { type: 'conjunction' })

/** Writes names as a sentence has them: `a, b and c`. */
export const joinNames = (names: readonly string[]): string => conjunction.format(names)

const pluralRules = new Intl.PluralRules(language)

/** Translates a text with a count: `tCount(n, '{count} document', '{count} documents')`. Both must be literals. */
export const tCount = (count: number, one: string, other: string, values: Values = {}): string => {
  const translation = catalog[other]
  const forms = typeof translation === 'object' ? translation : { one, other }
  return interpolate(pluralRules.select(count) === 'one' ? forms.one : forms.other, { ...values, count })
}

/** Translates a text whose placeholders are elements: `tNodes('See {link}.', { link: <TextLink … /> })`. */
export const tNodes = (text: string, nodes: Readonly<Record<string, ReactNode>>): ReactNode => {
  // Every second part is the name of a placeholder.
  const parts = t(text).split(new RegExp(placeholder, 'g'))
  return createElement(
    Fragment,
    null,
    ...parts.map((part, index) => (index % 2 === 0 ? part : (nodes[part] ?? `{${part}}`))),
  )
}
