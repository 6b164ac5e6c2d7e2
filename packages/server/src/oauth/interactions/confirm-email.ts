/**
 * `/email/confirm`: confirms a person's new email address. Only the person who asked for it may, signed in: otherwise somebody could have a stranger
 * attach the stranger's address to an account that is not theirs. The sign-in is fresh, with the second factor if the person has one by now: a thief
 * may have asked for the link before the person added it.
 */
import {
  confirmEmailPage,
  emailChangedPage,
  emailLinkGonePage,
  otherAccountLinkPage,
} from '#oauth/pages/email-pages'
import { recordAudit } from '#storage/audit'
import { endOneTimeLinks, findOneTimeLink, useEmailLink } from '#storage/one-time-links'
import { signOut } from '#storage/sessions'
import { setEmail } from '#storage/users'
import { emailPaths } from './factor-paths.ts'
import { requireSignIn, type SignedIn } from './fresh-sign-in.ts'
import type { Answer, Handler, PageDependencies, PageRequest } from './page-request.ts'

const accountPath = '/console/you'

/** Keeps the link during a sign-in, so that it is in no address after the first one. */
const linkCookie = 'email_link'
const linkSeconds = 60 * 60

/** `/email/confirm/{token}`: the mailed link. Opening it changes nothing, because mail scanners open links too. */
export const openEmailLink: Handler = async ({ cookies }, { response }, link) => {
  cookies.set(response, linkCookie, link, linkSeconds)
  return { seeOther: emailPaths.confirm }
}

export const confirmEmail: Handler = async (deps, pageRequest) => {
  const { locale, token, fields, request } = pageRequest
  const link = deps.cookies.read(request, linkCookie) ?? ''
  const oneTimeLink = await findOneTimeLink(deps.storage.db, link)
  if (oneTimeLink?.purpose !== 'email' || oneTimeLink.email === null)
    return { page: emailLinkGonePage(locale, { accountUrl: accountPath }) }
  const result = await requireSignIn(deps, pageRequest, { isFresh: true })
  if ('answer' in result) return result.answer
  const { person } = result.signedIn
  if (person.id !== oneTimeLink.userId) return { page: otherAccountLinkPage(locale, { email: person.email }) }
  if (fields?.get('action') === 'confirm') return changeEmail(deps, pageRequest, result.signedIn, link)
  return {
    page: confirmEmailPage(locale, {
      token,
      emailBefore: person.email,
      email: oneTimeLink.email,
      cancelUrl: accountPath,
    }),
  }
}

/** Signs out everywhere else, and ends links that were mailed to the old address. */
const changeEmail = async (
  { storage, cookies, flash, securityNotices }: PageDependencies,
  { locale, response, address, requestId }: PageRequest,
  { person, session }: SignedIn,
  link: string,
): Promise<Answer> => {
  const email = await storage.write(async writer => {
    const newEmail = await useEmailLink(writer, person.id, link)
    if (newEmail === undefined || !(await setEmail(writer, person.id, newEmail))) return undefined
    await endOneTimeLinks(writer, person.id)
    await signOut(writer, person.id, { sessionId: session.uid })
    await recordAudit(writer, {
      actor: person.id,
      action: 'confirmEmail',
      target: newEmail,
      detail: { before: { email: person.email } },
      address,
      requestId,
    })
    return newEmail
  })
  cookies.set(response, linkCookie, '', 0)
  if (email === undefined) return { page: emailLinkGonePage(locale, { accountUrl: accountPath }) }
  securityNotices.send(
    { ...person, language: locale.language, requestId },
    { kind: 'email-changed', newEmail: email },
  )
  flash.set(response, emailPaths.confirmed, { email })
  return { seeOther: emailPaths.confirmed }
}

/** `/email/confirmed`. */
export const emailConfirmed: Handler = async ({ flash }, pageRequest) => {
  const { email } = flash.read(pageRequest, { keep: true })
  if (email === undefined) return { seeOther: accountPath }
  return { page: emailChangedPage(pageRequest.locale, { email, accountUrl: accountPath }) }
}
