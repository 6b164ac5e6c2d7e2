import { t } from '#i18n/translate.ts'

/** Name of a configuration; undefined: each test uses its own. */
export const configurationLabel = (config: string | undefined): string => {
  if (config === undefined) return t('As each test says')
  return config === 'default' ? t('Live (default)') : config
}
