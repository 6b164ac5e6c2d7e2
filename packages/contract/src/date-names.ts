/** Names of months and weekdays, in English and the other languages in which files have dates. */

const englishMonths = [
  ...['january', 'february', 'march', 'april', 'may', 'june'],
  ...['july', 'august', 'september', 'october', 'november', 'december'],
]
/** Short names that are no beginnings of the long ones. */
const shortMonths: Readonly<Record<string, number>> = { mrt: 3, mrz: 3, sept: 9 }
const otherLanguages = [
  ...['nl', 'de', 'fr', 'es', 'it', 'pt', 'da', 'sv', 'nb', 'fi'],
  ...['pl', 'cs', 'hu', 'ro', 'ru', 'uk', 'el', 'tr', 'id'],
]
const nameCharactersMin = 3

const simplify = (name: string): string => name.normalize('NFC').toLowerCase().replace(/\.$/, '')

const listNames = (
  language: string,
  options: Intl.DateTimeFormatOptions,
  type: 'month' | 'weekday',
  date: Date,
): string[] => {
  const parts = new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }).formatToParts(date)
  return parts.filter(part => part.type === type).map(({ value }) => simplify(value))
}

/** Returns a function that makes the value at its first call. */
const makeLazy = <T>(make: () => T): (() => T) => {
  let value: T | undefined
  return () => (value ??= make())
}

/** Long names as in a date and alone. A name that means different months in different languages is left out. */
const otherMonths = makeLazy(() => {
  const months = new Map<string, number>()
  for (let month = 1; month <= 12; month += 1)
    for (const language of otherLanguages)
      for (const options of [{ month: 'long' }, { month: 'long', day: 'numeric', year: 'numeric' }] as const)
        for (const name of listNames(language, options, 'month', new Date(Date.UTC(2023, month - 1, 1))))
          months.set(name, (months.get(name) ?? month) === month ? month : 0)
  return months
})

/** Returns the number of the month with this name, or its beginning of three or more letters; 0 if there is none. */
export const readMonthName = (text: string): number => {
  const name = simplify(text)
  if (name.length < nameCharactersMin) return 0
  const english = englishMonths.findIndex(month => month.startsWith(name)) + 1
  return english > 0 ? english : (shortMonths[name] ?? otherMonths().get(name) ?? readBeginning(name))
}

const readBeginning = (name: string): number => {
  const months = new Set(
    [...otherMonths()].flatMap(([long, month]) => (long.startsWith(name) ? [month] : [])),
  )
  const [month = 0] = months
  return months.size === 1 ? month : 0
}

const weekdays = makeLazy(
  () =>
    new Set(
      ['en', ...otherLanguages].flatMap(language =>
        (['long', 'short'] as const).flatMap(weekday =>
          [1, 2, 3, 4, 5, 6, 7].flatMap(day =>
            listNames(language, { weekday }, 'weekday', new Date(Date.UTC(2023, 0, day))),
          ),
        ),
      ),
    ),
)

/** Whether the text is the name of a weekday, or its usual short form. */
export const isWeekdayName = (text: string): boolean => weekdays().has(simplify(text))
