import type { MantineColorScheme } from '@mantine/core'
import { t } from '#i18n/translate.ts'

/** Themes that people choose from. */
export const colorSchemes: readonly { scheme: MantineColorScheme; label: string }[] = [
  { scheme: 'light', label: t('Light') },
  { scheme: 'dark', label: t('Dark') },
  { scheme: 'auto', label: t('System') },
]
