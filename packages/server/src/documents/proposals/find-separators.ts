/** Finds the sign between several values of one text, as in `gift;new` or `keuken, porselein`. A wrong split is worse than none. */
import { splitAt } from '@querent/contract/csv-cells'
import { isPictureAddress } from '@querent/contract/pictures'
import { lastStep } from './rank-names.ts'

/** In the order in which they are tried. People write a comma and a slash within one value too. */
const signs = [';', '|', '\n', ',', '/'] as const

/** Fewer texts with the sign may have it by chance. */
const dividedMin = 2
const dividedShareMin = 0.1
/** Values are short, above all between commas, which sentences have too. */
const partWordsMax = 4
const commaPartWordsMax = 3
const partCharactersMax = 60
/** Parts of lists recur in other texts, at other places among the parts. Those of names and addresses have their place. */
const recurrenceMin = 1.5
const movedShareMin = 0.25
/** Signs that seldom stand within a short value need fewer repetitions. */
const clearSigns: readonly string[] = [';', '|', '\n']
const clearRecurrenceMin = 1.15
const clearPartWordsMax = 2
/** A comma needs more texts that show the same. */
const unclearDividedMin = 3

export interface Separators {
  /** The proposed sign. Undefined: each text is one value. */
  listSeparator: string | undefined
  /** The signs that a person may choose. */
  listSeparators: string[]
}

/** `values`: the texts of an attribute, which are no numbers, dates or places. */
export const findSeparators = (name: string, values: readonly unknown[]): Separators => {
  const texts = values.filter(value => typeof value === 'string')
  if (texts.length < values.length) return { listSeparator: undefined, listSeparators: [] }
  const divisions = signs.flatMap(sign => {
    const division = divide(texts, sign)
    return division && isPlausible(division) ? [division] : []
  })
  return {
    listSeparator: divisions.find(division => isSure(name, division))?.sign,
    listSeparators: divisions.map(({ sign }) => sign),
  }
}

interface Division {
  sign: string
  texts: readonly string[]
  /** The parts of each different text; one that has no sign is its only part. */
  lists: readonly (readonly string[])[]
  /** Those with several parts. */
  divided: readonly (readonly string[])[]
}

/** Undefined if too few texts have the sign. */
const divide = (texts: readonly string[], sign: string): Division | undefined => {
  const withSign = texts.filter(text => text.includes(sign)).length
  if (withSign < Math.max(dividedMin, dividedShareMin * texts.length)) return undefined
  const different = [...new Set(texts)]
  const lists = different.map(text => splitAt(text, sign) ?? [text.trim()])
  const divided = lists.filter(parts => parts.length > 1)
  return divided.length === 0 ? undefined : { sign, texts: different, lists, divided }
}

/** Whether the parts may be values: short, and no sentences, addresses of pages or numbers that the sign cuts. */
const isPlausible = ({ sign, texts, divided }: Division): boolean => {
  const parts = divided.flat()
  if (isAddresses(parts)) return true
  const words = countWords(parts)
  const isShort =
    words <= (sign === ',' ? commaPartWordsMax : partWordsMax) &&
    parts.every(part => part.length <= partCharactersMax)
  const isCut = texts.some(text => isMarkup(text) || isCutAt(text, sign)) || parts.some(isOpen)
  const sentences = parts.filter(isSentence).length
  return isShort && !isCut && sentences <= 0.1 * parts.length
}

/** Returns how many words a part has on average. */
const countWords = (parts: readonly string[]): number =>
  parts.reduce((sum, part) => sum + part.split(/\s+/).length, 0) / parts.length

/** Initials of names have a point too. */
const isSentence = (part: string): boolean => /\p{L}{2}[.!?]$/u.test(part) && /\s\S+\s/.test(part)

/** Whether a text is HTML, or a list or an object of a program. */
const isMarkup = (text: string): boolean => /^\s*[[{]|<\/?[a-z]/i.test(text)

/** Whether parentheses go on in another part, as in `The pan (Utrecht, 2)`. */
const isOpen = (part: string): boolean => part.split('(').length !== part.split(')').length

/** Whether the sign is a part of something in the text: of a number, a character of HTML or an address. */
const isCutAt = (text: string, sign: string): boolean => {
  if (sign === ',') return /\d,\d/.test(text)
  if (sign === ';') return /&#?\w+;/.test(text)
  if (sign === '|') return false
  return (
    sign === '/' && (/:\/\/|^\/|\.\w{1,5}$/.test(text) || text.split('/').some(part => !/\p{L}/u.test(part)))
  )
}

const isSure = (name: string, division: Division): boolean => {
  const { sign, texts, lists, divided } = division
  // Words such as and/or, units and paths have it without blanks.
  if (sign === '/' && texts.some(text => /\S\/|\/\S/.test(text))) return false
  const parts = divided.flat()
  if (isAddresses(parts) || parts.every(part => isPictureAddress(lastStep(name), part))) return true
  // Other texts with commas are names, places or sentences too.
  if (isListName(lastStep(name))) return true
  const recurrence = countRecurrence(lists)
  const isMoved = findMovedShare(lists) >= movedShareMin
  const sizes = new Set(lists.map(({ length }) => length))
  const isShown = isClear(sign) || divided.length >= unclearDividedMin || sizes.size > 2
  if (isMoved && recurrence >= recurrenceMin && isShown) return true
  // Titles have a sign between their parts at times.
  const dividedShare = sizes.size > 1 ? divided.length / lists.length : 0
  const isOften = dividedShare >= 0.5 && countWords(parts) <= clearPartWordsMax
  const isList = dividedShare >= 0.3 && (recurrence >= clearRecurrenceMin || sizes.size > 2)
  return isClear(sign) && (isOften || isList)
}

const listNames =
  /(^|[^\p{L}])(hash)?(tags|labels|keywords|topics|subjects|themes|genres|categories|colou?rs|sizes|skills|interests|hobbies|amenities|ingredients|(book)?shelves|value\(s\)|kleuren|maten|trefwoorden|onderwerpen|categorieën|ingrediënten|talen|farben|größen|zutaten|schlagwörter|themen|couleurs|tailles)([^\p{L}]|$)/u

/** Whether a name is that of several short values, but not of people: `Smith, John` is one of them. */
const isListName = (name: string): boolean =>
  listNames.test(name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase())

const isClear = (sign: string): boolean => clearSigns.includes(sign)

/** Whether all parts are addresses of pages, pictures or people. */
const isAddresses = (parts: readonly string[]): boolean =>
  parts.every(part => /^https?:\/\/\S+$|^[\w.+-]+@[\w-]+\.\S+$/i.test(part))

/** Returns how many different texts have the same part, on average. */
const countRecurrence = (lists: readonly (readonly string[])[]): number => {
  const parts = lists.flatMap(list => [...new Set(list)])
  return parts.length / Math.max(new Set(parts).size, 1)
}

/** Returns the share of the recurring parts that have no place of their own: neither as counted from the first part, nor from the last. */
const findMovedShare = (lists: readonly (readonly string[])[]): number => {
  const places = new Map<string, { first: Set<number>; last: Set<number>; count: number }>()
  for (const list of lists)
    for (const [index, part] of list.entries()) {
      const place = places.get(part) ?? { first: new Set(), last: new Set(), count: 0 }
      place.first.add(index)
      place.last.add(list.length - index)
      place.count += 1
      places.set(part, place)
    }
  const recurring = [...places.values()].filter(({ count }) => count > 1)
  const moved = recurring.filter(({ first, last }) => first.size > 1 && last.size > 1)
  return moved.length / Math.max(recurring.length, 1)
}
