/** `/password/…`: forgotten passwords. */
import { canonicalDomain, canonicalEmail } from '@querent/contract/email-address'
import { Email } from '@querent/contract/manage'
import { mailTemplates } from '#accounts/mail-templates'
import { hashPassword } from '#accounts/password-hash'
import { throttledPasswordStrength } from '#accounts/password-strength'
import { toNetwork } from '#authz/network'
import { byPassword } from '#oauth/library/authentication'
import { type PasswordFault, parsePasswordFault } from '#oauth/pages/new-password'
import {
  forgottenPage,
  parseForgottenFault,
  resetDonePage,
  resetGonePage,
  resetPage,
  sentPage,
} from '#oauth/pages/password-pages'
import { findPerson } from '#oauth/sessions/accounts'
import { recordAudit } from '#storage/audit'
import { createOneTimeLink, endOneTimeLinks, findOneTimeLink, useOneTimeLink } from '#storage/one-time-links'
import { hasSecondFactor } from '#storage/second-factors'
import { signOut } from '#storage/sessions'
import { findUser, findUserByEmail, setLanguage, setPassword, type UserRow } from '#storage/users'
import { browserSession, startBrowserSession } from './browser-session.ts'
import { accountPath } from './factor-paths.ts'
import {
  type Answer,
  type Handler,
  type PageDependencies,
  type PageRequest,
  readField,
  redirectBack,
} from './page-request.ts'
import { countResetRequest, mayMailStranger, type ReachedLimit } from './reset-requests.ts'
import { findPendingSignIn, findPendingSignInOrConsole } from './return-to.ts'
import { recordSignIn } from './sign-in-record.ts'

const linkLifetimeMs = 60 * 60 * 1000

/** `/password/forgot`. The reply and its duration are the same with and without an account. */
export const forgotPassword: Handler = async (deps, pageRequest) => {
  const { locale, token, fields, response } = pageRequest
  const canMail = deps.mail.isAvailable
  if (!fields || !canMail) {
    const { fault, email, until } = deps.flash.read(pageRequest)
    const signInUrl = await findPendingSignIn(deps.cookies, pageRequest.request, deps.provider())
    const waitMs = Number(until ?? 0) - Date.now()
    const facts = { token, email, fault: parseForgottenFault(fault), waitMs, signInUrl, canMail }
    return { page: forgottenPage(locale, facts) }
  }
  const email = readField(fields, 'email')
  if (!(await isEmail(email))) return redirectBack(deps, pageRequest, { fault: 'email-missing', email })
  if (!(await deps.mail.supports(canonicalEmail(email))))
    return redirectBack(deps, pageRequest, { fault: 'unsupported', email })
  const limit = await countResetRequest(deps, pageRequest, email)
  const afterwards = () => mailResetLink(deps, pageRequest, email, limit?.kind)
  if (limit) {
    const flash = { fault: limit.kind, email, until: String(Date.now() + limit.waitMs) }
    return { ...redirectBack(deps, pageRequest, flash), afterwards }
  }
  deps.flash.set(response, sentPath, { email })
  return { seeOther: `${sentPath}?ui_locales=${locale.language}`, afterwards }
}

const sentPath = '/password/sent'

/** `/password/sent`. */
export const resetMailSent: Handler = async (deps, pageRequest) => {
  const { email } = deps.flash.read(pageRequest, { keep: true })
  if (email === undefined) return { seeOther: '/password/forgot' }
  const signInUrl = await findPendingSignIn(deps.cookies, pageRequest.request, deps.provider())
  return { page: sentPage(pageRequest.locale, { email, signInUrl }) }
}

/** `limit`: that the request has reached. Beyond that of the network only people with an account get a mail. */
const mailResetLink = async (
  deps: PageDependencies,
  { locale: { language }, requestId }: PageRequest,
  email: string,
  limit: ReachedLimit['kind'] | undefined,
): Promise<void> => {
  const { storage, mail, authUrl } = deps
  if (limit === 'address') return
  const templates = mailTemplates(language)
  const user = await findUserByEmail(storage.db, email)
  if (!user || user.disabled === 1) {
    if (limit === 'network' || !(await mayMailStranger(deps, email))) return
    await mail.send({ to: canonicalEmail(email), requestId, ...templates.noAccount({ authUrl }) })
    return
  }
  const { token, expiresAt } = await storage.write(writer =>
    createOneTimeLink(writer, { purpose: 'password', userId: user.id, ttlMs: linkLifetimeMs, mailed: true }),
  )
  const url = `${authUrl}/password/reset/${token}`
  const link = { kind: 'one-time' as const, token }
  await mail.send({ to: user.email, requestId, link, ...templates.passwordReset({ url, expiresAt }) })
}

/** `/password/reset/{token}`: may be opened repeatedly; only the form uses the link up. */
export const resetPassword: Handler = async (deps, pageRequest, link) => {
  const { locale, token, fields } = pageRequest
  const { db } = deps.storage
  const oneTimeLink = await findOneTimeLink(db, link)
  const user = oneTimeLink?.purpose === 'password' ? await findUser(db, oneTimeLink.userId) : undefined
  if (!user) return { page: resetGonePage(locale, { forgottenUrl: '/password/forgot' }) }
  const password = fields?.get('password')
  if (password === undefined) {
    const fault = parsePasswordFault(deps.flash.read(pageRequest).fault)
    return {
      page: resetPage(locale, {
        token,
        email: user.email,
        isFirst: user.password_hash === null,
        fault,
        lengthMin: deps.passwordLengthMin,
      }),
    }
  }
  const fault = await findPasswordFault(deps, pageRequest, { link, password, person: user })
  if (fault !== undefined) return redirectBack(deps, pageRequest, { fault })
  return (await savePassword(deps, pageRequest, { user, link, password })) ?? redirectBack(deps, pageRequest)
}

/** Weak passwords of one network a minute, in multiples of one link's limit: an office shares an address. */
const linksPerNetwork = 3

/** Returns the fault of a person's new password, chosen through a link. */
export const findPasswordFault = async (
  {
    storage,
    signInThrottle,
    passwordLengthMin,
  }: Pick<PageDependencies, 'storage' | 'signInThrottle' | 'passwordLengthMin'>,
  { address }: Pick<PageRequest, 'address'>,
  {
    link,
    password,
    person: { email, name },
  }: { link: string; password: string; person: Pick<UserRow, 'email' | 'name'> },
): Promise<PasswordFault | undefined> => {
  if (password === '') return 'missing'
  const limits =
    signInThrottle === 'off'
      ? []
      : [
          { key: `new password by ${link}`, failuresMax: signInThrottle },
          { key: `new password from ${toNetwork(address)}`, failuresMax: linksPerNetwork * signInThrottle },
        ]
  const strength = await throttledPasswordStrength(storage, limits, password, {
    lengthMin: passwordLengthMin,
    personal: [email, name],
  })
  return strength === 'good' ? undefined : strength
}

/** Undefined if the link was used meanwhile. */
const savePassword = async (
  deps: PageDependencies,
  pageRequest: PageRequest,
  { user, link, password }: { user: UserRow; link: string; password: string },
): Promise<Answer | undefined> => {
  const { storage, devices, securityNotices } = deps
  const { request, response, address, requestId, locale } = pageRequest
  const { language } = locale
  const passwordHash = await hashPassword(password)
  const isSaved = await storage.write(async writer => {
    if ((await useOneTimeLink(writer, link)) !== user.id) return false
    await setPassword(writer, user.id, passwordHash)
    await endOneTimeLinks(writer, user.id)
    await signOut(writer, user.id)
    await setLanguage(writer, user.id, language)
    await recordAudit(writer, {
      actor: user.id,
      action: 'passwordReset',
      target: user.email,
      address,
      requestId,
    })
    return true
  })
  if (!isSaved) return undefined
  const hasFactor = await hasSecondFactor(storage.db, user.id)
  if (!hasFactor) devices.remember(request, response, { id: user.id, password_hash: passwordHash })
  securityNotices.send({ ...user, language, requestId }, { kind: 'password-changed' })
  // Choosing a first password signs in. After a forgotten one, nobody is signed in automatically (OWASP
  // Forgot Password Cheat Sheet), nor without the second factor.
  if (user.password_hash !== null || hasFactor)
    return { seeOther: await preparePendingSignIn(deps, pageRequest, user.email) }
  await startBrowserSession(deps, pageRequest, user.id, byPassword)
  recordSignIn(deps, pageRequest, { kind: 'sign-in', result: 'ok', method: 'password', userId: user.id })
  return { seeOther: `${changedPath}?first` }
}

const changedPath = '/password/changed'

/**
 * Returns the path of this browser's unfinished sign-in, which then knows the address and says that the password is saved. Returns
 * {@link changedPath} if there is none, or if the browser is signed in as somebody else, whose sign-in may continue without a password.
 */
const preparePendingSignIn = async (
  deps: PageDependencies,
  pageRequest: PageRequest,
  email: string,
): Promise<string> => {
  const { request, response } = pageRequest
  const pathname = await findPendingSignIn(deps.cookies, request, deps.provider())
  if (pathname === undefined || (await browserSession(deps, pageRequest))) return changedPath
  deps.flash.set(response, pathname, { email, step: 'password', notice: 'password-saved' })
  return pathname
}

/**
 * `/.well-known/change-password`: browsers and password managers lead people there
 * (https://w3c.github.io/webappsec-change-password-url/). Their password is on the account page of the console.
 */
export const changePasswordAddress: Handler = async () => ({ seeOther: accountPath })

/** `/password/changed`; with `?first` after a first password, which signs in. */
export const passwordChanged: Handler = async (deps, pageRequest) => {
  const session = pageRequest.query.has('first') ? await browserSession(deps, pageRequest) : undefined
  const reader = session && (await findPerson(deps.directory, session.accountId))
  const way = await findPendingSignInOrConsole(deps.cookies, pageRequest.request, deps.provider())
  return { page: resetDonePage(pageRequest.locale, { signedInAs: reader?.email, way }) }
}

/** Validates e-mail addresses like the management API. */
const isEmail = async (text: string): Promise<boolean> => {
  // Loaded on first use.
  const { schemaFaults } = await import('@querent/contract/schema-faults')
  return (
    schemaFaults(Email, text).length === 0 &&
    canonicalDomain(text.slice(text.lastIndexOf('@') + 1)) !== undefined
  )
}
