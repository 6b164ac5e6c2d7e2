/** What an entry of the audit log says was changed, in words. The export has it as it is kept. */
import type { AuditEntry, RowFilter } from '@querent/contract/manage'
import { minutesOf } from '#ui/lifetime.ts'
import { inWords } from '#ui/row-filter.ts'
import { formatted } from '#ui/when.tsx'

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
const tellers: Readonly<Record<string, (value: unknown) => string>> = {
  // `null` or `{}`: without one.
  filter: value =>
    isRecord(value) && Object.keys(value).length > 0 ? inWords(value as RowFilter) : 'everything',
  addresses: value => (Array.isArray(value) && value.length === 0 ? 'everywhere' : told(value)),
  expiresInSeconds: value => `after ${lasting(Number(value))}`,
  accessTokenLifetime: value => lasting(minutesOf(String(value)) * 60),
  signsFrom: value => formatted(String(value)),
  publicKeys: value =>
    isRecord(value) && Array.isArray(value.keys) ? String(value.keys.length) : told(value),
}

/** A line for each field: `Name: Website → Shop`, or `Name: Shop` where there was nothing before. Empty: nothing to tell. */
export const detailLines = ({ detail }: Pick<AuditEntry, 'detail'>): string[] => {
  const { before, ...set } = detail
  if (!isRecord(before))
    return Object.entries(set).map(([field, value]) => `${labelOf(field)}: ${tell(field, value)}`)
  // Beside what was changed the request may repeat what stays.
  const changed = Object.keys(before)
  if (changed.length === 0) return ['Nothing changed']
  return changed.map(field => `${labelOf(field)}: ${tell(field, before[field])} → ${tell(field, set[field])}`)
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const tell = (field: string, value: unknown): string => (tellers[field] ?? told)(value)

const told = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(told).join(', ')
  if (isRecord(value))
    return Object.entries(value)
      .map(([field, part]) => `${wordsOf(field)} ${told(part)}`)
      .join(', ')
  return String(value)
}

/** `redirectUris`: `redirect uris`. */
const wordsOf = (field: string): string => field.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)

const labelOf = (field: string): string => {
  const words = wordsOf(field)
  return labels[field] ?? words.charAt(0).toUpperCase() + words.slice(1)
}

/** In the largest unit that is full: `90 days`. */
const lasting = (seconds: number): string => {
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
