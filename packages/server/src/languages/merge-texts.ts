/** Compares the texts of a language with the English ones, and puts English where one is missing or has other placeholders. Pure. */

/** Paths of texts, such as `pages.login.title`. */
export interface TextFaults {
  /** The language lacks the text, or it is empty. */
  missing: string[]
  /** English has no such text. */
  unknown: string[]
  /** The placeholders differ from the English ones. */
  placeholders: string[]
  /** The text is the English one, and the list `sameAsEnglish` of the language doesn't have it. */
  untranslated: string[]
}

/** Forms of a text with a count, by the categories of `Intl.PluralRules`. */
export type PluralForms = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>

const pluralCategories: readonly string[] = ['zero', 'one', 'two', 'few', 'many', 'other']

export const isPlural = (value: unknown): value is PluralForms =>
  isObject(value) && 'other' in value && Object.keys(value).every(key => pluralCategories.includes(key))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Names of the placeholders of a text: `{name}`. */
export const listPlaceholders = (text: string): string[] =>
  [...new Set(Array.from(text.matchAll(/\{(\w+)\}/g), ([, name = '']) => name))].toSorted()

/** Fills the placeholders of a text. Throws if a value is missing. */
export const fillPlaceholders = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`a text has no value for {${name}}`)
    return value
  })

const haveSamePlaceholders = (text: string, other: string): boolean =>
  listPlaceholders(text).join() === listPlaceholders(other).join()

/** Returns the texts in the shape of `english`, and what differs. `translation` is the parsed file of a language. */
export const mergeTexts = <T>(english: T, translation: unknown): { texts: T; faults: TextFaults } => {
  const { sameAsEnglish, ...texts } = isObject(translation) ? translation : {}
  const shared = Array.isArray(sameAsEnglish) ? sameAsEnglish : []
  const locale = typeof texts.locale === 'string' ? texts.locale : 'en'
  const categories = new Intl.PluralRules(locale).resolvedOptions().pluralCategories
  const faults: TextFaults = { missing: [], unknown: [], placeholders: [], untranslated: [] }

  const mergeText = (reference: string, text: unknown, path: string): string => {
    if (typeof text !== 'string' || text.trim() === '') {
      faults.missing.push(path)
      return reference
    }
    if (!haveSamePlaceholders(reference, text)) {
      faults.placeholders.push(path)
      return reference
    }
    if (text === reference && !shared.includes(text)) faults.untranslated.push(path)
    return text
  }
  const mergePlural = (reference: PluralForms, forms: unknown, path: string): PluralForms => {
    const translatedForms = isObject(forms) ? forms : {}
    const defaultForm = mergeText(reference.other, translatedForms.other, `${path}.other`)
    if (defaultForm !== translatedForms.other) return reference
    const rest = categories
      .filter(category => category !== 'other')
      .map(category => {
        const text = translatedForms[category]
        const isUsable = typeof text === 'string' && haveSamePlaceholders(defaultForm, text)
        if (!isUsable) (text === undefined ? faults.missing : faults.placeholders).push(`${path}.${category}`)
        return [category, isUsable ? text : defaultForm]
      })
    noteUnknown(translatedForms, categories, path)
    return { ...Object.fromEntries(rest), other: defaultForm }
  }
  const noteUnknown = (translated: object, allowed: readonly string[], path: string) => {
    const paths = Object.keys(translated).map(key => [key, path === '' ? key : `${path}.${key}`] as const)
    faults.unknown.push(...paths.flatMap(([key, place]) => (allowed.includes(key) ? [] : place)))
  }
  const merge = (reference: unknown, translated: unknown, path: string): unknown => {
    if (typeof reference === 'string') return mergeText(reference, translated, path)
    if (isPlural(reference)) return mergePlural(reference, translated, path)
    if (!isObject(reference)) return reference
    const parts = isObject(translated) ? translated : {}
    noteUnknown(parts, Object.keys(reference), path)
    const merged = Object.entries(reference).map(([key, value]) => [
      key,
      merge(value, parts[key], path === '' ? key : `${path}.${key}`),
    ])
    return Array.isArray(reference) ? merged.map(([, value]) => value) : Object.fromEntries(merged)
  }
  // The same keys as `english`, with texts of the same kinds.
  const merged = merge(english, texts, '') as T
  return { texts: merged, faults }
}
