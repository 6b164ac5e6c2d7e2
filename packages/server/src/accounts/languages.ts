/**
 * Languages of the pages and mails, each by its own name. To add one, add an entry: `npm run types` then names every text that it lacks
 * (mail-templates.ts, oauth/pages/texts/).
 */
export const languageNames = { en: 'English', nl: 'Nederlands' } as const

export type Language = keyof typeof languageNames

// The keys are those of the table.
export const languages = Object.keys(languageNames) as Language[]

/** Returns the language the person last read; default English. */
export const findLanguage = (person: { language: string | null }): Language =>
  languages.find(language => language === person.language) ?? 'en'
