/** `/password/…`: a forgotten password. */
import { letters } from '#http/letters'
import { hashPassword } from '#http/password'
import { passwordStrength } from '#http/password-strength'
import type { PasswordFault } from '#oauth/pages/new-password'
import { forgottenPage, resetDonePage, resetGonePage, resetPage, sentPage } from '#oauth/pages/password-pages'
import { recordAudit } from '#storage/audit'
import {
  createOneTimeLink,
  endOneTimeLinksOf,
  findOneTimeLink,
  useOneTimeLink,
} from '#storage/one-time-links'
import { signOut } from '#storage/sessions'
import { countFailure, failuresOf } from '#storage/throttles'
import { findUser, findUserByEmail, foldEmail, setPassword, type UserRow } from '#storage/users'
import { networkOf } from './network.ts'
import { emailCharactersMax } from './password-sign-in.ts'
import { type Answer, type Deps, type Handler, typed, type Visit } from './visit.ts'

const linkLastsMs = 60 * 60 * 1000
const hourMs = 60 * 60 * 1000
/** Nobody's mailbox is filled by others; from one address so many letters times the throttle, as sign-ins. `off` is for both. */
const lettersPerHourMax = 5

/** `/password/forgot`. The answer is the same, and as fast, whether there is such an account or not. */
export const forgotten: Handler = async (deps, visit) => {
  const { speech, token, fields } = visit
  const signInUrl = rememberWay(deps, visit)
  const email = fields && typed(fields, 'email')
  const isMissing = email !== undefined && (!email.includes('@') || email.length > emailCharactersMax)
  if (email === undefined || isMissing || !deps.mail.available) {
    const fault = isMissing ? 'email-missing' : undefined
    const facts = { token, email, fault, signInUrl, canMail: deps.mail.available } as const
    return { page: forgottenPage(speech, facts) }
  }
  return { page: sentPage(speech, { email, signInUrl }), afterwards: () => mailLink(deps, visit, email) }
}

/** Where the person came from: the id of a sign-in under way, which is kept for the page after the last. */
const rememberWay = ({ cookies }: Deps, { request, response, query }: Visit): string | undefined => {
  const uid = query.get('interaction') ?? ''
  if (!interactionId.test(uid)) return wayBack(cookies, request)
  cookies.set(response, wayCookie, uid, linkLastsMs / 1000)
  return `/interaction/${uid}`
}

const interactionId = /^[\w-]{1,64}$/
const wayCookie = 'way'

const wayBack = (cookies: Deps['cookies'], request: Visit['request']): string | undefined => {
  const uid = cookies.read(request, wayCookie) ?? ''
  return interactionId.test(uid) ? `/interaction/${uid}` : undefined
}

const mailLink = async (
  { storage, mail, authUrl, signInThrottle }: Deps,
  { address, speech: { language } }: Visit,
  email: string,
): Promise<void> => {
  const { db } = storage
  if (signInThrottle !== 'off') {
    const mailbox = `forgotten password ${foldEmail(email)}`
    const network = `forgotten password from ${networkOf(address)}`
    if ((await failuresOf(db, mailbox, hourMs)) >= lettersPerHourMax) return
    if ((await failuresOf(db, network, hourMs)) >= lettersPerHourMax * signInThrottle) return
    await countFailure(db, mailbox, hourMs)
    await countFailure(db, network, hourMs)
  }
  const words = letters[language]
  const user = await findUserByEmail(db, email)
  if (!user || user.disabled === 1) {
    await mail.send({ to: foldEmail(email), ...words.noAccount({ authUrl }) })
    return
  }
  const { token, expiresAt } = await storage.write(writer =>
    createOneTimeLink(writer, { purpose: 'password', userId: user.id, ttlMs: linkLastsMs }),
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
  const fault = password === undefined ? undefined : await faultOf(password, user)
  if (password === undefined || fault !== undefined)
    return { page: resetPage(speech, { token, email: user.email, fault }) }
  return (
    (await save(deps, visit, { user, link, password })) ?? {
      page: resetGonePage(speech, { forgottenUrl: '/password/forgot' }),
    }
  )
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
  { storage, devices, mail, authUrl }: Deps,
  { request, response, address, requestId, speech: { language } }: Visit,
  { user, link, password }: { user: UserRow; link: string; password: string },
): Promise<Answer | undefined> => {
  const passwordHash = await hashPassword(password)
  const isSaved = await storage.write(async writer => {
    if ((await useOneTimeLink(writer, link)) !== user.id) return false
    await setPassword(writer, user.id, passwordHash)
    await endOneTimeLinksOf(writer, user.id)
    await signOut(writer, user.id)
    await recordAudit(writer.db, {
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
  return { seeOther: '/password/changed' }
}

/** `/password/changed`. */
export const changed: Handler = async ({ cookies }, { request, speech }) => ({
  page: resetDonePage(speech, { signInUrl: wayBack(cookies, request) }),
})
