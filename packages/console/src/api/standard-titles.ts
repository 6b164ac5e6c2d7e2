/** Titles of endpoints that a proposal made, in the person's language. The workspace file has them in English; titles of people stay as they are. */
import { proposedTitleEnds, proposedTitles } from '@querent/contract/proposed-titles'
import { language, t } from '#i18n/translate.ts'

const titles: Readonly<Record<keyof typeof proposedTitles, string>> = {
  search: t('Search'),
  suggest: t('Suggestions while people type'),
  all: t('Everything'),
  document: t('One document'),
  near: t('Near a place'),
  nearest: t('Nearest first'),
}

/** Titles that begin with that of a field. */
const titlesOfFields: Readonly<Record<keyof typeof proposedTitleEnds, (title: string) => string>> = {
  between: title => t('{title} between', { title }),
  near: title => t('{title} near a place', { title }),
  nearest: title => t('{title}, nearest first', { title }),
  oldest: title => t('{title}, oldest first', { title }),
  newest: title => t('{title}, newest first', { title }),
  lowest: title => t('{title}, lowest first', { title }),
  highest: title => t('{title}, highest first', { title }),
  alphabetic: title => t('{title}, A to Z', { title }),
  tie: title => t('{title} breaks ties', { title }),
}

export const readTitle = (title: string): string => {
  if (language === 'en') return title
  const capitalized = title.charAt(0).toUpperCase() + title.slice(1)
  for (const [key, text] of Object.entries(titles))
    if (proposedTitles[key as keyof typeof proposedTitles] === capitalized) return text
  for (const [key, write] of Object.entries(titlesOfFields)) {
    const end = proposedTitleEnds[key as keyof typeof proposedTitleEnds]
    if (title.endsWith(end)) return write(title.slice(0, -end.length))
  }
  return title
}
