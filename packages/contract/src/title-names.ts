/** Names of fields that are titles of documents in languages other than English, and objects that hold a text for each language. */
import { currency, currencyName } from './currencies.ts'
import { isJsonObject } from './read-path.ts'

/** Names and titles in Danish, Dutch, Finnish, French, German, Hungarian, Italian, Norwegian, Polish, Portuguese, Romanian, Russian, Spanish, Swedish and Turkish, without accents. */
const foreignTitles = new Set(
  `titel naam benaming titulo nombre denominacion denominacao designacion titre nom intitule denomination titolo nome denominazione namn
  navn tittel overskrift benamning betegnelse nimi otsikko nazwa tytul nev cim elnevezes titlu nume denumire isim baslik bezeichnung название наименование имя`.split(
    /\s+/,
  ),
)

/** Whether a field of this name is a title in a language other than English: `Título`, `nombre`. */
export const isForeignTitle = (name: string): boolean => foreignTitles.has(withoutAccents(name))

/** Names of occupations, which are titles of jobs. */
const occupations = new Set('poste puesto stanowisko stelle beruf'.split(' '))

/** Whether a field of this name is most likely a title, if no other one is: `Intitulé du poste`, `nazwa_produktu`, `Poste`. */
export const isLikelyForeignTitle = (name: string): boolean => {
  const [first = '', ...rest] = withoutAccents(name).split(/[^\p{L}\p{N}]+/u)
  return foreignTitles.has(first) || (occupations.has(first) && rest.length === 0)
}

const withoutAccents = (name: string): string =>
  name.toLowerCase().replaceAll('ł', 'l').replaceAll('ı', 'i').normalize('NFD').replace(/\p{M}/gu, '')

/** Whether a text is a number or a sum of money, or a range of them: it names nothing. */
export const isAmount = (text: string): boolean =>
  /\d/.test(text) && (!/\p{L}/u.test(text) || amountPattern.test(text))

const amountPattern = new RegExp(
  String.raw`(?<!\p{L})${currency}\s?\d|\d\s?k?(?:${currency}|${currencyName})(?!\p{L})`,
  'u',
)

/** Whether the key stands for a language (BCP 47): `es`, `pt-BR`, `zh_Hans`. */
export const isLanguageKey = (key: string): boolean => /^@?[a-z]{2}(?:[-_][A-Za-z]{2,4})?$/.test(key)

/** Whether the value is an object with a text for each language, such as `{ es: "Faro", fr: "Phare" }`. */
export const isTextByLanguage = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isJsonObject(value) &&
  Object.keys(value).length > 0 &&
  Object.entries(value).every(
    ([key, text]) => isLanguageKey(key) && (text === null || typeof text === 'string'),
  ) &&
  Object.values(value).some(text => typeof text === 'string' && text.trim() !== '')
