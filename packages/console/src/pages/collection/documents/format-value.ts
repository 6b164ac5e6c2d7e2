import { t } from '#i18n/translate.ts'

/** More characters of a value are not shown in a table or list. */
const charactersMax = 300

/** Returns a value of a document in one line: lists with dots between, objects as JSON. */
export const formatValue = (value: unknown): string => {
  const text = describe(value)
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text
}

const describe = (value: unknown): string => {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.slice(0, charactersMax).map(describe).join(' · ')
  if (typeof value === 'boolean') return value ? t('yes') : t('no')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
