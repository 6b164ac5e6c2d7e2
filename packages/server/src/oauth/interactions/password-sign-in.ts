/** The step shared by all forms with address and password. */
import { canonicalEmail } from '@querent/contract/email-address'
import type { LoginFault } from '#oauth/pages/login-page'
import { hasSecondFactor } from '#storage/second-factors'
import { setLanguage } from '#storage/users'
import type { PageDependencies, PageRequest } from './page-request.ts'
import type { AttemptResult, Person } from './sign-in.ts'
import { completeRecord, recordSignIn, type SignInTarget } from './sign-in-record.ts'

/** Longest address in its one form (RFC 5321, section 4.5.3.1.3). */
export const emailCharactersMax = 254

/**
 * Returns the person, or the fault of the form. Without a second factor, the device is known from then on. With
 * one, the page waits for it (second-factor.ts). `target`: what the person signs in to, for the log.
 */
export const signInByForm = async (
  deps: PageDependencies,
  pageRequest: PageRequest,
  { email, password }: { email: string; password: string },
  target: SignInTarget,
): Promise<{ person: Person; isPending: boolean } | LoginFault> => {
  if (email === '' || canonicalEmail(email).length > emailCharactersMax) return 'email-missing'
  if (password === '') return 'password-missing'
  const { signIn, devices, pendingSignIns, storage } = deps
  const { request, response, pathname, address, locale } = pageRequest
  const { language } = locale
  const result = await signIn.attempt({
    email,
    password,
    address,
    findDevice: person => devices.find(request, person),
  })
  if (result.outcome !== 'accepted') {
    recordFailure(deps, pageRequest, result, target)
    return result.outcome
  }
  const { person } = result
  const isPending = await hasSecondFactor(storage.db, person.id)
  if (isPending) pendingSignIns.start(response, pathname, person)
  // For this and later mails.
  if (person.language !== language) await storage.write(writer => setLanguage(writer, person.id, language))
  const reader = { ...person, language }
  if (isPending)
    recordSignIn(deps, pageRequest, {
      ...target,
      kind: 'sign-in',
      result: 'second-factor-needed',
      method: 'password',
      userId: person.id,
    })
  else completeRecord(deps, pageRequest, reader, { ...target, kind: 'sign-in', method: 'password' })
  return { person, isPending }
}

const recordFailure = (
  deps: PageDependencies,
  pageRequest: PageRequest,
  { outcome, user }: Exclude<AttemptResult, { outcome: 'accepted' }>,
  target: SignInTarget,
): void => {
  recordSignIn(deps, pageRequest, {
    ...target,
    kind: 'sign-in',
    result: outcome === 'refused' ? 'wrong-password' : outcome,
    method: 'password',
    userId: user?.id,
  })
  // Not if only the limit of the network is reached.
  if (user?.disabled === 0)
    deps.securityNotices.send(
      { ...user, requestId: pageRequest.requestId },
      { kind: 'failed-sign-ins' },
      () => deps.signIn.isGuessed(user.email),
    )
}
