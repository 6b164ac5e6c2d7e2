/** The step after a password, shared by all forms with address and password. */

import type { SignInMethod } from '@querent/contract/manage'
import { isAppCode } from '#accounts/authenticator-app'
import { type Authentication, byTwoFactors, codeMethods, passkeyMethods } from '#oauth/library/authentication'
import type { Page } from '#oauth/pages/page'
import { type CodeFault, codeFaults, secondFactorPage } from '#oauth/pages/second-factor-page'
import { findAuthenticatorApp, listPasskeys } from '#storage/second-factors'
import type { UserRow } from '#storage/users'
import type { PageDependencies, PageRequest } from './page-request.ts'
import { completeRecord, recordSignIn, type SignInTarget } from './sign-in-record.ts'

/** Longest text of a code that is looked at. */
const codeCharactersMax = 40

/** A person with a first factor, and how they signed in with it. */
export interface FirstFactor {
  person: UserRow
  amr: readonly string[]
}

/**
 * Checks the second factor of a submitted form, a code or a passkey, and uses it up. Then the device is known.
 * Returns how the person signed in, or the fault of the form. `target`: what the person signs in to, for the log.
 */
export const completeSignIn = async (
  deps: PageDependencies,
  pageRequest: PageRequest,
  { person, amr }: FirstFactor,
  target: SignInTarget,
): Promise<Authentication | CodeFault> => {
  const { response, fields } = pageRequest
  const methods = fields?.get('passkey')
    ? await verifyPasskey(deps, pageRequest, person)
    : await verifyCode(deps, pageRequest, person)
  const event = { ...target, kind: 'second-factor', method: readMethod(fields) } as const
  if (typeof methods === 'string') {
    const result = failureResults[methods]
    if (result !== undefined) recordSignIn(deps, pageRequest, { ...event, result, userId: person.id })
    if (methods === 'throttled')
      deps.securityNotices.send({ ...person, requestId: pageRequest.requestId }, { kind: 'failed-codes' })
    return methods
  }
  deps.pendingSignIns.end(response)
  completeRecord(deps, pageRequest, person, event)
  return byTwoFactors(methods, amr)
}

/** Faults in the sign-in log. An empty field is no attempt. */
const failureResults: Readonly<Record<CodeFault, string | undefined>> = {
  missing: undefined,
  refused: 'wrong-code',
  // The person did nothing wrong: the server lost the key.
  unreadable: undefined,
  recoveryRefused: 'wrong-code',
  throttled: 'throttled',
  passkey: 'wrong-passkey',
}

const readMethod = (fields: PageRequest['fields']): SignInMethod => {
  if (fields?.get('passkey')) return 'passkey'
  return isAppCode((fields?.get('code') ?? '').trim()) ? 'code' : 'recovery-code'
}

const verifyPasskey = async (
  { passkeys }: PageDependencies,
  pageRequest: PageRequest,
  person: UserRow,
): Promise<readonly string[] | CodeFault> => {
  const verified = await passkeys.verify(pageRequest, pageRequest.fields?.get('passkey') ?? '')
  return verified?.person.id === person.id ? passkeyMethods(verified.passkey) : 'passkey'
}

const verifyCode = async (
  { factorCodes, devices, log }: PageDependencies,
  { request, address, fields }: PageRequest,
  { id, password_hash }: UserRow,
): Promise<readonly string[] | CodeFault> => {
  const code = (fields?.get('code') ?? '').trim()
  if (code === '') return 'missing'
  const device = password_hash === null ? undefined : devices.find(request, { id, password_hash })
  const result =
    code.length > codeCharactersMax
      ? 'refused'
      : await factorCodes.attempt({ userId: id, code, address, device })
  if (result === 'accepted') return codeMethods
  if (result === 'unreadable')
    log.warn(
      { user: id },
      'the secret of an authenticator app was encrypted with another QUERENT_KEY: the person must set up the app again',
    )
  return result === 'refused' && !isAppCode(code) ? 'recoveryRefused' : result
}

/** Shows the form for the second factor, with the fault of an earlier try. */
export const showSecondFactor = async (
  deps: PageDependencies,
  pageRequest: PageRequest,
  person: UserRow,
  { isUpgrade, mayCancel }: { isUpgrade: boolean; mayCancel: boolean },
): Promise<Page> => {
  const { storage, passkeys, flash, passkeyScriptUrl } = deps
  const { locale, token, query } = pageRequest
  const { fault } = flash.read(pageRequest)
  const hasApp = (await findAuthenticatorApp(storage.db, person.id)) !== undefined
  const ownPasskeys = await listPasskeys(storage.db, person.id)
  const canUsePasskey = passkeys.isAvailable && ownPasskeys.some(passkeys.isUsable)
  return secondFactorPage(locale, {
    token,
    email: person.email,
    hasApp,
    passkeyOptions: canUsePasskey ? await passkeys.requestOptions(pageRequest, person) : undefined,
    formerHost: canUsePasskey ? undefined : (ownPasskeys[0]?.rp_id ?? undefined),
    scriptUrl: passkeyScriptUrl,
    wantsRecoveryCode: query.get('with') === 'recovery-code',
    fault: codeFaults.find(kind => kind === fault),
    isUpgrade,
    otherAccountUrl: '?account=other',
    mayCancel,
  })
}
