import type { SightCheck } from '@querent/contract/manage'
import { t } from '#i18n/translate.ts'

/** Labels of the checks whether a member sees a document. */
export const checkLabels: Readonly<Record<SightCheck['name'], string>> = {
  'membership-end': t('End of the membership'),
  role: t('Role'),
  collection: t('Collection'),
  api: t('API'),
  'row-filter': t('Row filter'),
  readers: t('Readers'),
}
