import { translateCheck } from '#i18n/translate.ts'

/** A sentence of a check in the person's language, or else as the server writes it, in English. */
export const CheckSentence = ({ children }: { children: string }) => {
  const translation = translateCheck(children)
  return translation === undefined ? <span lang="en">{children}</span> : translation
}
