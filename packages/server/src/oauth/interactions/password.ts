/** `/password/…`: a forgotten password. */
import { letters } from '#http/letters'
import { hashPassword } from '#http/password'
import { passwordStrength } from '#http/password-strength'
import { findPerson } from '#oauth/accounts'
import { type PasswordFault, passwordFaultIn } from '#oauth/pages/new-password'
import { forgottenPage, resetDonePage, resetGonePage, resetPage, sentPage } from '#oauth/pages/password-pages'
import { recordAudit } from '#storage/audit'
import {
  createOneTimeLink,
  endOneTimeLinksOf,
  findOneTimeLink,
  useOneTimeLink,
} from '#storage/one-time-links'
import { signOut } from '#storage/sessions'
import { beginAttempt } from '#storage/throttles'
import { findUser, findUserByEmail, foldEmail, setLanguage, setPassword, type UserRow } from '#storage/users'
import { browserSession, startBrowserSession } from './browser-session.ts'
import { waitingOrConsole, waitingSignIn } from './came-from.ts'
import { isEmail } from './email.ts'
import { networkOf } from './network.ts'
import { type Answer, type Deps, type Handler, sendBack, typed, type Visit } from './visit.ts'

const linkLastsMs = 60 * 60 * 1000
const hourMs = 60 * 60 * 1000
/** Nobody's mailbox is filled by others; from one address so many letters times the throttle, as sign-ins. `off` is for both. */
const lettersPerHourMax = 5

/** `/password/forgot`. The answer is the same, and as fast, whether there is such an account or not. */
export const forgotten: Handler = async (deps, visit) => {
  const { speech, token, fields, response } = visit
  const canMail = deps.mail.available
  if (!fields || !canMail) {
    const { fault, email } = deps.notes.read(visit)
    const signInUrl = await waitingSignIn(deps.cookies, visit.request, deps.provider())
    const known = fault === 'email-missing' ? fault : undefined
    return { page: forgottenPage(speech, { token, email, fault: known, signInUrl, canMail }) }
  }
  const email = typed(fields, 'email')
  if (!(await isEmail(email))) return sendBack(deps, visit, { fault: 'email-missing', email })
  deps.notes.leave(response, sentPath, { email })
  const seeOther = `${sentPath}?ui_locales=${speech.language}`
  return { seeOther, afterwards: () => mailLink(deps, visit, email) }
}

const sentPath = '/password/sent'

/** `/password/sent`. */
export const sent: Handler = async (deps, visit) => {
  const { email } = deps.notes.read(visit, { kept: true })
  if (email === undefined) return { seeOther: '/password/forgot' }
  const signInUrl = await waitingSignIn(deps.cookies, visit.request, deps.provider())
  return { page: sentPage(visit.speech, { email, signInUrl }) }
}

const mailLink = async (
  { storage, mail, authUrl, signInThrottle }: Deps,
  { address, speech: { language } }: Visit,
  email: string,
): Promise<void> => {
  const { db } = storage
  if (signInThrottle !== 'off') {
    const limits = [
      { key: `forgotten password ${foldEmail(email)}`, failuresMax: lettersPerHourMax },
      {
        key: `forgotten password from ${networkOf(address)}`,
        failuresMax: lettersPerHourMax * signInThrottle,
      },
    ]
    if (!(await beginAttempt(storage, limits, hourMs))) return
  }
  const words = letters[language]
  const user = await findUserByEmail(db, email)
  if (!user || user.disabled === 1) {
    await mail.send({ to: foldEmail(email), ...words.noAccount({ authUrl }) })
    return
  }
  const { token, expiresAt } = await storage.write(writer =>
    createOneTimeLink(writer, { purpose: 'password', userId: user.id, ttlMs: linkLastsMs, mailed: true }),
  )
  const url = `${authUrl}/password/reset/${token}`
  await mail.send({ to: user.email, ...words.passwordReset({ url, expiresAt }) })
}

/** `/password/reset/{token}`: shown as often as one likes, used up by the form alone. */
export const reset: Handler = async (deps, visit, link) => {
  const { speech, token, fields } = visit
  const { db } = deps.storage
  const found = await findOneTimeLink(db, link)
  const user = found?.purpose === 'password' ? await findUser(db, found.userId) : undefined
  if (!user) return { page: resetGonePage(speech, { forgottenUrl: '/password/forgot' }) }
  const password = fields?.get('password')
  if (password === undefined) {
    const fault = passwordFaultIn(deps.notes.read(visit).fault)
    return {
      page: resetPage(speech, { token, email: user.email, isFirst: user.password_hash === null, fault }),
    }
  }
  const fault = await faultOf(password, user)
  if (fault !== undefined) return sendBack(deps, visit, { fault })
  return (await save(deps, visit, { user, link, password })) ?? sendBack(deps, visit)
}

/** What is wrong with a new password of this person. */
export const faultOf = async (
  password: string,
  { email, name }: Pick<UserRow, 'email' | 'name'>,
): Promise<PasswordFault | undefined> => {
  if (password === '') return 'missing'
  const strength = await passwordStrength(password, [email, name])
  return strength === 'good' ? undefined : strength
}

/** Undefined when the link was used in the meantime. */
const save = async (
  deps: Deps,
  visit: Visit,
  { user, link, password }: { user: UserRow; link: string; password: string },
): Promise<Answer | undefined> => {
  const { storage, devices, mail, authUrl } = deps
  const { request, response, address, requestId, speech } = visit
  const { language } = speech
  const passwordHash = await hashPassword(password)
  const isSaved = await storage.write(async writer => {
    if ((await useOneTimeLink(writer, link)) !== user.id) return false
    await setPassword(writer, user.id, passwordHash)
    await endOneTimeLinksOf(writer, user.id)
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
  devices.remember(request, response, { id: user.id, password_hash: passwordHash })
  // Nobody waits for it, and it says so itself when it fails.
  void mail.send({ to: user.email, ...letters[language].passwordChanged({ authUrl }) })
  // A first password is part of getting in. After one that was forgotten nobody is signed in by themselves (OWASP Forgot
  // Password Cheat Sheet).
  if (user.password_hash !== null) return { seeOther: changedPath }
  await startBrowserSession(deps, visit, user.id)
  return { seeOther: `${changedPath}?first` }
}

const changedPath = '/password/changed'

/** `/password/changed`; with `?first` after a first password, by which one is signed in. */
export const changed: Handler = async (deps, visit) => {
  const session = visit.query.has('first') ? await browserSession(deps, visit) : undefined
  const reader = session && (await findPerson(deps.directory, session.accountId))
  const way = await waitingOrConsole(deps.cookies, visit.request, deps.provider())
  return { page: resetDonePage(visit.speech, { signedInAs: reader?.email, way }) }
}
