/**
 * For tests: everything that people, and operators, can do to an account, and what it needs. docs/your-account.md has it as a table. Tests of the
 * management API and of the pages run each row, and fail for an operation or a page that has none.
 */

/**
 * - `session`: any session or token.
 * - `fresh`: a sign-in of the last five minutes, with the second factor if the person has one.
 * - `link`: the link that was mailed to the person, or that an operator handed over.
 * - `operator`: an operator; for their own account `fresh` too.
 */
export type Proof = 'session' | 'fresh' | 'link' | 'operator'

/**
 * Sessions that end, with everything that applications got in them. `first-factor`: all others, unless the person wants to keep them. `named`: the
 * named session or application.
 */
export type Ends = 'none' | 'others' | 'first-factor' | 'named' | 'all'

export interface AccountAction {
  what: string
  proof: Proof
  /** Whether the person gets a mail. */
  mail: boolean
  ends: Ends
  /** The operation of the management API, or the path of the page. */
  operation?: string
  page?: string
}

export const accountActions: readonly AccountAction[] = [
  { what: 'see the account', operation: 'getMe', proof: 'session', mail: false, ends: 'none' },
  { what: 'change name or language', operation: 'updateMe', proof: 'session', mail: false, ends: 'none' },
  { what: 'ask for another address', operation: 'changeEmail', proof: 'fresh', mail: true, ends: 'none' },
  { what: 'cancel that', operation: 'cancelEmailChange', proof: 'session', mail: false, ends: 'none' },
  { what: 'confirm the new address', page: '/email/confirm', proof: 'fresh', mail: true, ends: 'others' },
  { what: 'change the password', operation: 'changePassword', proof: 'fresh', mail: true, ends: 'others' },
  {
    what: 'choose a password with a link',
    page: '/password/reset/{link}',
    proof: 'link',
    mail: true,
    ends: 'all',
  },
  { what: 'see second factors', operation: 'listMyFactors', proof: 'session', mail: false, ends: 'none' },
  { what: 'see second factors', page: '/factors', proof: 'session', mail: false, ends: 'none' },
  {
    what: 'set up an authenticator app',
    page: '/factors/app',
    proof: 'fresh',
    mail: true,
    ends: 'first-factor',
  },
  { what: 'add a passkey', page: '/factors/passkeys/add', proof: 'fresh', mail: true, ends: 'first-factor' },
  { what: 'replace the app', page: '/factors/app', proof: 'fresh', mail: true, ends: 'none' },
  { what: 'remove the app', page: '/factors/app/remove', proof: 'fresh', mail: true, ends: 'none' },
  { what: 'rename a passkey', page: '/factors/passkeys/{id}', proof: 'fresh', mail: true, ends: 'none' },
  { what: 'remove a passkey', page: '/factors/passkeys/{id}', proof: 'fresh', mail: true, ends: 'none' },
  {
    what: 'get new recovery codes',
    page: '/factors/recovery-codes',
    proof: 'fresh',
    mail: true,
    ends: 'none',
  },
  { what: 'see sessions', operation: 'listMySessions', proof: 'session', mail: false, ends: 'none' },
  { what: 'end a session', operation: 'endMySession', proof: 'session', mail: false, ends: 'named' },
  {
    what: 'end all other sessions',
    operation: 'endMyOtherSessions',
    proof: 'session',
    mail: false,
    ends: 'others',
  },
  { what: 'see sign-ins', operation: 'listMySignIns', proof: 'session', mail: false, ends: 'none' },
  { what: 'see consents', operation: 'listMyConsents', proof: 'session', mail: false, ends: 'none' },
  { what: 'revoke a consent', operation: 'withdrawMyConsent', proof: 'session', mail: false, ends: 'named' },
  { what: 'accept an invitation', page: '/invitation/{link}', proof: 'link', mail: false, ends: 'none' },
  { what: 'export the data', operation: 'exportMe', proof: 'fresh', mail: true, ends: 'none' },
  { what: 'delete the account', operation: 'deleteMe', proof: 'fresh', mail: true, ends: 'all' },
  {
    what: 'operator: remove all factors',
    operation: 'removeFactors',
    proof: 'operator',
    mail: true,
    ends: 'all',
  },
  {
    what: 'operator: make a link for a password',
    operation: 'resetPassword',
    proof: 'operator',
    mail: false,
    ends: 'none',
  },
  {
    what: 'operator: export the data',
    operation: 'exportUser',
    proof: 'operator',
    mail: false,
    ends: 'none',
  },
  {
    what: 'operator: disable or enable',
    operation: 'updateUser',
    proof: 'operator',
    mail: false,
    ends: 'all',
  },
  { what: 'operator: delete', operation: 'removeUser', proof: 'operator', mail: false, ends: 'all' },
]
