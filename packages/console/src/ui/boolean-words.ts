import { t } from '#i18n/translate.ts'

/** Writes true and false, also as texts, as yes and no; undefined for other values. */
export const writeBoolean = (value: unknown): string | undefined => {
  if (value === true || value === 'true') return t('yes')
  return value === false || value === 'false' ? t('no') : undefined
}

/** The two choices of a select. */
export const booleanChoices = () => [
  { value: 'true', label: t('yes') },
  { value: 'false', label: t('no') },
]
