import { t } from '#i18n/translate.ts'

/**
 * Writes one value of a document as a person does: yes and no, a date without the midnight that dates are kept with, and a place as
 * latitude and longitude. Other objects are JSON.
 */
export const describeValue = (value: unknown): string => {
  if (typeof value === 'boolean') return value ? t('yes') : t('no')
  if (typeof value === 'string') return value.replace(/^(\d{4}-\d\d-\d\d)T00:00:00(\.0+)?Z$/, '$1')
  if (isPlace(value)) return `${value.lat}, ${value.lon}`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const isPlace = (value: unknown): value is { lat: number; lon: number } =>
  typeof value === 'object' &&
  value !== null &&
  'lat' in value &&
  'lon' in value &&
  Object.keys(value).length === 2
