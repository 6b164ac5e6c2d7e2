import { t } from '#i18n/translate.ts'

/** The types of applications, with the words for them. */
export const applicationTypes = [
  { value: 'browser', label: t('Single-page app') },
  { value: 'server', label: t('Server') },
  { value: 'native', label: t('Native app') },
] as const
