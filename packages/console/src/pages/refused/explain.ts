/** Says in one sentence why a request was rejected, and what to do next. */
import type { Check } from '@querent/contract/manage'
import { t } from '#i18n/translate.ts'
import { isTokenMissing } from './check-labels.ts'

export interface FailedRequest {
  check: Check
  /** E-mail address or name of the account, and its id. Undefined: nobody was recognized. */
  account: { id: string; name: string } | undefined
  /** Whether the account is a System-to-System account. */
  isSystem: boolean
  /** The application or System-to-System account that got the token. */
  client: { id: string; name: string } | undefined
}

export const explainFailure = ({ check, account, client, isSystem }: FailedRequest): string => {
  const name = account?.name ?? t('The account')
  switch (check.name) {
    case 'token':
      return isTokenMissing(check)
        ? t('The request has no access token.')
        : t('The access token of the request is not readable.')
    case 'issuer':
      return t('The token was issued by another server.')
    case 'signature':
      return t('The signature of the token is not valid.')
    case 'audience':
      return t('The token is for another address.')
    case 'clock':
      return t('The token has expired, or is not valid yet.')
    case 'proof':
      return t('The token needs a DPoP proof, and the request has no valid one.')
    case 'revocation':
      return t('The token was revoked.')
    case 'client':
      return t('{client} is disabled or was deleted.', { client: client?.name ?? t('The application') })
    case 'account':
      return t('{name} is disabled or was deleted.', { name })
    case 'client-workspace':
      return t('The token was obtained through {client}, which belongs to another workspace.', {
        client: client?.name ?? (isSystem ? t('a System-to-System account') : t('an application')),
      })
    case 'membership':
      return t('{name} is not a member of this workspace.', { name })
    case 'membership-end':
      return t('The membership of {name} has ended.', { name })
    case 'role':
      return t('{name} has no role that allows this.', { name })
    case 'second-factor':
      return t('This workspace requires a second factor, and {name} signed in without one.', { name })
    case 'api':
      return t('{name} may not use this API.', { name })
    case 'collection':
      return t('{name} may not use this collection.', { name })
    case 'row-filter':
      return t('The row filter of {name} does not allow this.', { name })
  }
}

/** A place of the console where the cause can be corrected. */
export type RemedyPlace =
  | { kind: 'invite'; email: string }
  | { kind: 'member'; search: string }
  | { kind: 'system-to-system'; clientId: string }
  | { kind: 'system-to-system-accounts' }
  | { kind: 'applications' }
  | { kind: 'person'; email: string }

export interface Remedy {
  text: string
  place?: RemedyPlace
}

const isEmail = (name: string): boolean => name.includes('@')

export const findRemedy = ({ check, account, isSystem, client }: FailedRequest): Remedy => {
  const member: RemedyPlace | undefined =
    account &&
    (isSystem ? { kind: 'system-to-system', clientId: account.id } : { kind: 'member', search: account.name })
  const email = account && isEmail(account.name) ? account.name : undefined
  switch (check.name) {
    case 'token':
      return { text: t('Send the token in the header, as Authorization: Bearer TOKEN.') }
    case 'issuer':
    case 'signature':
      return { text: t('Get a new token from this server, and send it unchanged.') }
    case 'audience':
      return remedyAt(
        isSystem ? undefined : { kind: 'applications' },
        t('Request the token for the expected audience, or set it as the default of the application.'),
      )
    case 'clock':
      return { text: t('Get a new token. If it is new, correct the clock of the machine that uses it.') }
    case 'proof':
      return { text: t('Send Authorization: DPoP TOKEN with a new proof for each request.') }
    case 'revocation':
      return { text: t('Sign in again, or get a new token.') }
    case 'client':
      return remedyAt(
        isSystem && client
          ? { kind: 'system-to-system', clientId: client.id }
          : { kind: isSystem ? 'system-to-system-accounts' : 'applications' },
        t('Enable it, or use an application or System-to-System account of this workspace.'),
      )
    case 'client-workspace':
      // It belongs to another workspace, so that nothing here can enable it.
      return isSystem
        ? remedyAt(
            { kind: 'system-to-system-accounts' },
            t('Use a System-to-System account of this workspace, or create one.'),
          )
        : remedyAt({ kind: 'applications' }, t('Use an application of this workspace, or register one.'))
    case 'account':
      return remedyAt(
        email === undefined ? undefined : { kind: 'person', email },
        t('An operator of this server can enable the account.'),
      )
    case 'membership':
      return email === undefined
        ? { text: t('Use an account of this workspace.') }
        : remedyAt({ kind: 'invite', email }, t('Invite {name}, or add them again.', { name: email }))
    case 'membership-end':
      return remedyAt(member, t('Give the membership a later end, or none.'))
    case 'api':
    case 'collection':
      return remedyAt(member, t('Add it to the membership, or to one of its groups.'))
    case 'role':
      return remedyAt(member, t('Give the account a role that allows it.'))
    case 'second-factor':
      return { text: t('Sign in again. The sign-in asks to set up a second factor.') }
    case 'row-filter':
      return remedyAt(member, t('Remove the row filter, or let somebody without one do this.'))
  }
}

const remedyAt = (place: RemedyPlace | undefined, text: string): Remedy =>
  place ? { text, place } : { text }
