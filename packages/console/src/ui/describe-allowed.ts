/** Writes what a condition of a row filter allows, as the end of a sentence. Apart from describe-filter.ts, because many pages load that. */
import { listedValues } from '@querent/contract/listed-values'
import type { RowFilterCondition } from '@querent/contract/manage'
import { t } from '#i18n/translate.ts'
import { alternatives, writeValue } from './describe-filter.ts'

/** Returns text that follows `must be`, such as `drama or comedy`, `up to now` or `not drama`. */
export const describeAllowed = (condition: RowFilterCondition): string => {
  const values = listedValues(condition)
  if (values) return alternatives.format(values.map(value => writeValue(value))) || t('none')
  if (typeof condition !== 'object' || Array.isArray(condition)) return ''
  if ('not' in condition) return t('not {values}', { values: describeAllowed(condition.not) })
  if ('member' in condition)
    return t('one of the member’s values of {attribute}', { attribute: condition.member })
  const { from, to } = condition
  if (from === undefined) return t('up to {to}', { to: to ?? '' })
  return to === undefined ? t('from {from}', { from }) : t('from {from} to {to}', { from, to })
}
