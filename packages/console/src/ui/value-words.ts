/** Names and values of settings, members, groups and accounts in words: for the audit log and for changes of the workspace file. */
import { readDuration } from '@querent/contract/duration'
import type { GroupGrant, RowFilter } from '@querent/contract/manage'
import { groupName } from '@querent/contract/normalize-rights'
import { language, t } from '#i18n/translate.ts'
import { describeFilter } from './describe-filter.ts'
import { describeSight } from './describe-sight.ts'
import { formatMoment } from './moment.tsx'
import { roleNames } from './role-names.ts'

/** Labels of fields. Others show their names. */
const labels: Readonly<Record<string, string>> = {
  name: t('Name'),
  title: t('Title'),
  description: t('Description'),
  type: t('Type'),
  roles: t('Roles'),
  origins: t('Origins'),
  defaultAudience: t('Default audience'),
  generation: t('Generation'),
  signsFrom: t('Signs from'),
  changes: t('Changes'),
  disabled: t('Disabled'),
  invited: t('Invited'),
  invitedBy: t('Invited by'),
  accepted: t('Accepted'),
  rejected: t('Rejected'),
  broken: t('Interrupted'),
  staged: t('Staged'),
  deleted: t('Deleted'),
  days: t('Days'),
  filter: t('Document access'),
  source: t('Source'),
  rights: t('Rights'),
  groups: t('Groups'),
  attributes: t('Attributes'),
  apis: t('APIs'),
  collections: t('Collections'),
  limits: t('Limits'),
  until: t('Ends'),
  addresses: t('Allowed IP addresses'),
  secretId: t('Secret ID'),
  expiresInSeconds: t('Expires'),
  redirectUris: t('Redirect URIs'),
  logoutUris: t('Logout URIs'),
  own: t('First-party application'),
  pkce: t('Requires a code challenge'),
  nonce: t('Requires a nonce'),
  dpop: t('Requires DPoP'),
  idTokenAlgorithm: t('Signature of ID tokens'),
  accessTokenLifetime: t('Access token lifetime'),
  allowMetadataClients: t('Unregistered applications allowed'),
  skipInvalidRedirectUris: t('Redirect URIs that are not allowed are left out'),
  queryLog: t('Query log'),
  keepGenerations: t('Earlier generations to keep'),
  requireSecondFactor: t('Require a second factor'),
  paths: t('Paths in the workspace file'),
  visible: t('Visibility'),
  readers: t('Readers of documents'),
  id: t('Id'),
  uri: t('URI'),
  class: t('Class'),
  language: t('Language'),
  field: t('Field'),
  fields: t('Fields'),
  weight: t('Weight'),
  suggest: t('Suggestions'),
  codes: t('Codes'),
  listSeparator: t('Separator'),
  separator: t('Separator'),
  metric: t('Metric'),
  dimensions: t('Dimensions'),
  collection: t('Collection'),
  kind: t('Kind'),
  typos: t('Typos'),
  prefix: t('Complete the last word'),
  contains: t('Also find parts of words'),
  parameter: t('Parameter'),
  order: t('Order'),
  value: t('Value'),
  ranges: t('Ranges'),
  interval: t('Interval'),
  timeZone: t('Time zone'),
  statistics: t('Statistics'),
  missing: t('Count documents without a value'),
  boosts: t('Boosts'),
  by: t('Factor'),
  halfLife: t('Half-life'),
  halfDistance: t('Half distance'),
  access: t('Access'),
  color: t('Color'),
  logo: t('Logo'),
  termsUrl: t('Terms of use URL'),
  privacyUrl: t('Privacy statement URL'),
  issuer: t('Issuer'),
  domains: t('E-mail domains'),
  rolesClaim: t('Claim'),
  public: t('Public'),
}

/** Formats of values. Older versions of the management API may have stored other types: those are shown as text. */
const formatters: Readonly<Record<string, (value: unknown) => string>> = {
  // `null` and `{}` mean no row filter.
  filter: value =>
    isRecord(value) && Object.keys(value).length > 0 ? describeFilter(value as RowFilter) : t('all'),
  groups: value =>
    Array.isArray(value) && value.length > 0 ? value.map(describeGrant).join(', ') : formatValue(value),
  readers: value => (isRecord(value) ? describeReaders(value) : formatValue(value)),
  visible: value => describeSight(Array.isArray(value) ? value.map(String) : undefined),
  addresses: value => (Array.isArray(value) && value.length === 0 ? t('any') : formatValue(value)),
  expiresInSeconds: value => t('after {duration}', { duration: formatDuration(Number(value)) }),
  accessTokenLifetime: value => {
    const seconds = readDuration(String(value))
    return seconds === undefined ? formatValue(value) : formatDuration(seconds)
  },
  queryLog: value => (isRecord(value) ? describeQueryLog(value) : formatValue(value)),
  roles: value => (Array.isArray(value) ? value.map(describeRole).join(', ') : formatValue(value)),
  accepted: value => formatCount(value),
  rejected: value => formatCount(value),
  deleted: value => formatCount(value),
  signsFrom: value => formatMoment(String(value)),
  publicKeys: value =>
    isRecord(value) && Array.isArray(value.keys) ? String(value.keys.length) : formatValue(value),
}

/** Numbers of documents. */
const formatCount = (value: unknown): string =>
  typeof value === 'number' ? value.toLocaleString(language) : formatValue(value)

/** Says who reads documents: `those that maker names; * means every member`. */
const describeReaders = ({ field, everyone }: Readonly<Record<string, unknown>>): string => {
  const names = t('those that {field} names', { field: String(field) })
  return everyone === undefined
    ? names
    : t('{readers}; {name} means every member', { readers: names, name: String(everyone) })
}

const queryLogForms: Readonly<Record<string, string>> = {
  off: t('Off'),
  hashed: t('Hashed'),
  full: t('Full text'),
}

/** `full text, 30 days`, as far as it says so. */
const describeQueryLog = ({ parameters, keep }: Readonly<Record<string, unknown>>): string => {
  const form = queryLogForms[String(parameters)]?.toLowerCase()
  const seconds = readDuration(String(keep))
  return [form, seconds === undefined ? undefined : formatDuration(seconds)]
    .filter(part => part !== undefined)
    .join(', ')
}

const describeRole = (role: unknown): string =>
  Object.entries(roleNames).find(([name]) => name === role)?.[1] ?? String(role)

/** A group, with its end if it has one. */
const describeGrant = (grant: GroupGrant): string =>
  typeof grant === 'string'
    ? grant
    : t('{group} until {until}', { group: groupName(grant), until: grant.until })

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the value of a field as people read it. */
export const formatField = (field: string, value: unknown): string =>
  (formatters[field] ?? formatValue)(value)

export const formatValue = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return t('none')
  if (typeof value === 'boolean') return value ? t('yes') : t('no')
  if (Array.isArray(value)) return value.length === 0 ? t('none') : value.map(formatValue).join(', ')
  if (isRecord(value))
    return Object.entries(value)
      .map(([field, part]) => `${readInnerLabel(field)} ${formatField(field, part)}`)
      .join(', ')
  return String(value)
}

/** `redirectUris`: `redirect uris`. */
const toWords = (field: string): string => field.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)

/** Returns the label of a field, or its name in words. */
export const readLabel = (field: string): string => {
  const words = toWords(field)
  return labels[field] ?? words.charAt(0).toUpperCase() + words.slice(1)
}

/** The label of a field within a sentence: not `Weight`, but `APIs`. */
export const readInnerLabel = (field: string): string => lowerFirst(readLabel(field))

export const lowerFirst = (label: string): string =>
  /^\p{Lu}(?!\p{Lu})/u.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label

/** Formats seconds in the largest full unit: `90 days`. */
const formatDuration = (seconds: number): string => {
  const [unit, inSeconds] = units.find(([, size]) => seconds >= size) ?? ['second', 1]
  return new Intl.NumberFormat(language, {
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
