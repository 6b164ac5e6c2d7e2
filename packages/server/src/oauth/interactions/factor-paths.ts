/** Paths of the pages where people, signed in, change their own account. */
export const factorPaths = {
  overview: '/factors',
  app: '/factors/app',
  removeApp: '/factors/app/remove',
  recoveryCodes: '/factors/recovery-codes',
  addPasskey: '/factors/passkeys/add',
  passkey: (id: string) => `/factors/passkeys/${id}`,
  /** Where a sign-in returns to (fresh-sign-in.ts). */
  signedIn: '/factors/signed-in',
}

/** Paths of the pages that confirm a new email address. */
export const emailPaths = { confirm: '/email/confirm', confirmed: '/email/confirmed' }

/** The account page of the console. */
export const accountPath = '/console/you'
