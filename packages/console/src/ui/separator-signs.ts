/** Signs between the values of a text. */
import { t } from '#i18n/translate.ts'

/** Returns the sign, or the name of one that nobody sees. */
export const nameSign = (sign: string): string => (sign === '\n' ? t('a line break') : sign)
