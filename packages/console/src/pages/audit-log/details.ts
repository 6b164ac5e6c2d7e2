/** What an entry of the audit log says was changed, in words. The export has it as it is kept. */
import type { AuditEntry, RowFilter } from '@querent/contract/manage'
import { toMinutes } from '#ui/lifetime.ts'
import { formatMoment } from '#ui/moment.tsx'
import { describeFilter } from '#ui/row-filter.ts'

/** Fields that are not told by their own name. */
const labels: Readonly<Record<string, string>> = {
  filter: 'Sees only',
  addresses: 'May be used from',
  secretId: 'Secret ID',
  expiresInSeconds: 'Expires',
  redirectUris: 'Redirect URIs',
  logoutUris: 'Logout URIs',
  own: "The workspace's own",
  pkce: 'Must send a code challenge',
  nonce: 'Must send a nonce',
  idTokenAlgorithm: 'Signature of ID tokens',
  accessTokenLifetime: 'Lifetime of access tokens',
  paths: 'Places in the workspace file',
}

/** Values that are not told as they are. They were written by the management API of some version: what is odd is told as text. */
const formatters: Readonly<Record<string, (value: unknown) => string>> = {
  // `null` or `{}`: without one.
  filter: value =>
    isRecord(value) && Object.keys(value).length > 0 ? describeFilter(value as RowFilter) : 'everything',
  addresses: value => (Array.isArray(value) && value.length === 0 ? 'everywhere' : formatValue(value)),
  expiresInSeconds: value => `after ${formatDuration(Number(value))}`,
  accessTokenLifetime: value => formatDuration(toMinutes(String(value)) * 60),
  signsFrom: value => formatMoment(String(value)),
  publicKeys: value =>
    isRecord(value) && Array.isArray(value.keys) ? String(value.keys.length) : formatValue(value),
}

/** A line for each field: `Name: Website → Shop`, or `Name: Shop` where there was nothing before. Empty: nothing to tell. */
export const detailLines = ({ detail }: Pick<AuditEntry, 'detail'>): string[] => {
  const { before, ...set } = detail
  if (!isRecord(before))
    return Object.entries(set).map(([field, value]) => `${readLabel(field)}: ${formatField(field, value)}`)
  // Beside what was changed the request may repeat what stays.
  const changed = Object.keys(before)
  if (changed.length === 0) return ['Nothing changed']
  return changed.map(
    field => `${readLabel(field)}: ${formatField(field, before[field])} → ${formatField(field, set[field])}`,
  )
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const formatField = (field: string, value: unknown): string => (formatters[field] ?? formatValue)(value)

const formatValue = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(formatValue).join(', ')
  if (isRecord(value))
    return Object.entries(value)
      .map(([field, part]) => `${toWords(field)} ${formatValue(part)}`)
      .join(', ')
  return String(value)
}

/** `redirectUris`: `redirect uris`. */
const toWords = (field: string): string => field.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)

const readLabel = (field: string): string => {
  const words = toWords(field)
  return labels[field] ?? words.charAt(0).toUpperCase() + words.slice(1)
}

/** In the largest unit that is full: `90 days`. */
const formatDuration = (seconds: number): string => {
  const [unit, inSeconds] = units.find(([, size]) => seconds >= size) ?? ['second', 1]
  return new Intl.NumberFormat('en', {
    style: 'unit',
    unit,
    unitDisplay: 'long',
    maximumFractionDigits: 1,
  }).format(seconds / inSeconds)
}
const units: [string, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]
