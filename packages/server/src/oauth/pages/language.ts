/** Chooses the language of a page: the application's preference, then the browser's, then English. */
import { type Language, languages } from '#accounts/mail-templates'
import type { Reader } from '#oauth/provider/interaction-types'
import { en, type Texts } from './texts/en.ts'
import { nl } from './texts/nl.ts'

const texts: Record<Language, Texts> = { en, nl }
/** Tags considered; the header may be long. */
const tagsMax = 20

export interface Locale {
  language: Language
  texts: Texts
}

/** `nl` for `nl-BE` (RFC 4647, section 3.4). */
const matchLanguage = (tag: string): Language | undefined =>
  languages.find(language => language === tag.trim().toLowerCase().split('-')[0])

/** Sorts `nl-BE, nl;q=0.9, en;q=0.8` by preference (RFC 9110, section 12.5.4). */
const sortByQuality = (acceptLanguage: string): string[] =>
  acceptLanguage
    .split(',', tagsMax)
    .map(part => {
      const [tag = '', quality] = part.split(/;\s*q=/i)
      return { tag, quality: quality === undefined ? 1 : Number(quality) || 0 }
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag)

export const chooseLocale = ({ uiLocales = '', acceptLanguage = '' }: Reader): Locale => {
  const tags = [...uiLocales.split(' ', tagsMax), ...sortByQuality(acceptLanguage)]
  const language = tags.map(matchLanguage).find(match => match !== undefined) ?? 'en'
  return { language, texts: texts[language] }
}
