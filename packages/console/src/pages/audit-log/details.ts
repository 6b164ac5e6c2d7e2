/** Describes the changes of an audit log entry as text. The export has the stored values. */
import type { AuditEntry, Change } from '@querent/contract/manage'
import { t } from '#i18n/translate.ts'
import { describePart } from '#ui/entry-sentences.ts'
import { formatField, isRecord, readLabel } from '#ui/value-words.ts'

/** Actions whose request has all values, not only those that change. */
const replacingActions: readonly string[] = ['setGroup', 'setMemberDefaults']

const isChanged = (before: unknown, after: unknown): boolean =>
  JSON.stringify(before) !== JSON.stringify(after)

/** Returns the changes of an applied workspace file, with their values. Entries of earlier versions have only paths. */
export const readEdits = ({
  detail: { edits },
}: Pick<AuditEntry, 'detail'>): readonly Change[] | undefined => (Array.isArray(edits) ? edits : undefined)

/** Returns a line for each field: `Name from Website to Shop`, or `Name: Shop` without a previous value. */
export const detailLines = ({ action, detail }: Pick<AuditEntry, 'action' | 'detail'>): string[] => {
  // Documents are shown with their titles.
  const { before, byProvider, ids, ...rest } = detail
  // Shown with the actor.
  const { issuer, ...withoutIssuer } = rest
  const newValues = byProvider === true ? withoutIssuer : rest
  if (!isRecord(before))
    return Object.entries(newValues)
      .map(([field, value]) => ({ field, text: formatField(field, value) }))
      .filter(({ text }) => text !== t('none'))
      .map(({ field, text }) => `${readLabel(field)}: ${text}`)
  // The request may also repeat unchanged values. Those that replace everything name all values of before.
  const { source, ...values } = newValues
  const replaced = replacingActions.includes(action) ? Object.keys(values) : []
  const changed = [...new Set([...Object.keys(before), ...replaced])].filter(
    field => !replacingActions.includes(action) || isChanged(before[field], newValues[field]),
  )
  if (changed.length === 0) return [t('Nothing changed')]
  return changed.map(field => {
    const [from, to] = [before[field], newValues[field]]
    return typeof to === 'boolean'
      ? `${readLabel(field)}: ${formatField(field, to)}`
      : describePart(field, from, to, readLabel(field))
  })
}

/** Returns the issuer of the OpenID provider that signed the actor in; undefined: the actor signed in here. */
export const readProvider = ({ detail }: Pick<AuditEntry, 'detail'>): string | undefined =>
  detail.byProvider !== true
    ? undefined
    : typeof detail.issuer === 'string'
      ? detail.issuer
      : t('OpenID provider')
