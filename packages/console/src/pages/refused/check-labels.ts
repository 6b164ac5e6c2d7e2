import type { Check } from '@querent/contract/manage'
import { t } from '#i18n/translate.ts'

/** Labels of the checks (query-service.md, "Why was I refused?"). */
export const checkLabels: Readonly<Record<Check['name'], string>> = {
  token: t('Token format'),
  issuer: t('Issuer'),
  signature: t('Signature'),
  audience: t('Audience'),
  clock: t('Validity period'),
  proof: t('DPoP proof'),
  revocation: t('Revocation'),
  client: t('Client'),
  account: t('Account'),
  'client-workspace': t('Workspace of the client'),
  membership: t('Membership'),
  'membership-end': t('End of the membership'),
  role: t('Role'),
  'second-factor': t('Second factor'),
  api: t('API'),
  collection: t('Collection'),
  'row-filter': t('Row filter'),
}

/** Whether nothing was sent, rather than something unreadable. The server writes this sentence. */
export const isTokenMissing = ({ name, message }: Pick<Check, 'name' | 'message'>): boolean =>
  name === 'token' && message === 'no token was sent'

/** Names the check that a request failed, and a missing token by itself: the two need different corrections. */
export const labelFailedCheck = (name: Check['name'], message: string): string =>
  isTokenMissing({ name, message }) ? t('No token') : checkLabels[name]

/** Labels of counts, which have no messages to tell a missing token from a malformed one. */
export const countedCheckLabels: typeof checkLabels = {
  ...checkLabels,
  token: t('Token missing or malformed'),
}
