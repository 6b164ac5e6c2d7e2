/** Signs between the values of a text. */
import { t } from '#i18n/translate.ts'

/** Signs that are hard to see behind a sentence. */
const signNames: Readonly<Record<string, string>> = { '\n': t('a line break'), ',': t('a comma') }

/** Returns the sign, or the name of one that is hard to see. */
export const nameSign = (sign: string): string => signNames[sign] ?? sign
