/** Titles of endpoints that a proposal made, in the person's language. The workspace file has them in English; titles of people stay as they are. */
import { language, t } from '#i18n/translate.ts'

/** By the English titles with a small letter first. */
const wholeTitles: Readonly<Record<string, string>> = {
  search: t('Search'),
  'suggestions while people type': t('Suggestions while people type'),
  everything: t('Everything'),
  'one document': t('One document'),
  'near a place': t('Near a place'),
  'nearest first': t('Nearest first'),
}

/** By the end of the English title. The rest is the title of a field. */
const endings: Readonly<Record<string, (title: string) => string>> = {
  ' between': title => t('{title} between', { title }),
  ' near a place': title => t('{title} near a place', { title }),
  ', nearest first': title => t('{title}, nearest first', { title }),
  ', oldest first': title => t('{title}, oldest first', { title }),
  ', newest first': title => t('{title}, newest first', { title }),
  ', lowest first': title => t('{title}, lowest first', { title }),
  ', highest first': title => t('{title}, highest first', { title }),
  ', A to Z': title => t('{title}, A to Z', { title }),
  ' breaks ties': title => t('{title} breaks ties', { title }),
}

export const readTitle = (title: string): string => {
  if (language === 'en') return title
  const key = title.charAt(0).toLowerCase() + title.slice(1)
  if (Object.hasOwn(wholeTitles, key)) return wholeTitles[key] ?? title
  const [end, write] = Object.entries(endings).find(([each]) => title.endsWith(each)) ?? []
  return end === undefined || write === undefined ? title : write(title.slice(0, -end.length))
}
