/** Pages for a forgotten password: request a link, and choose a new password. */
import { alert, field, form } from './form.ts'
import { html } from './html.ts'
import type { Locale } from './language.ts'
import { newPasswordField, type PasswordFault, passwordFaultStatus } from './new-password.ts'
import { type NextLink, renderNextLink } from './next-link.ts'
import { type Page, renderPage } from './page.ts'

/**
 * - `unsupported`: the mail server cannot send to the address.
 * - `network`, `address`: too many requests from the network, or for the address, whether or not it has an account.
 */
const forgottenFaults = ['email-missing', 'unsupported', 'network', 'address'] as const
export type ForgottenFault = (typeof forgottenFaults)[number]

/** From a cookie, which may contain anything. */
export const parseForgottenFault = (text: string | undefined): ForgottenFault | undefined =>
  forgottenFaults.find(fault => fault === text)

export interface ForgottenFacts {
  token: string
  email: string | undefined
  fault: ForgottenFault | undefined
  /** Set if a limit is reached: time until it is not, in milliseconds. */
  waitMs?: number
  /** Page the person came from. */
  signInUrl: string | undefined
  /** Without mail, only an operator can create a link. */
  canMail: boolean
}

export const forgottenPage = (locale: Locale, facts: ForgottenFacts): Page => {
  const { forgotten, ...texts } = locale.texts
  const { fault, canMail, email = '', waitMs = 0 } = facts
  const isLimited = fault === 'network' || fault === 'address'
  const page = renderPage(locale, {
    title: forgotten.title,
    status: fault === undefined ? 200 : isLimited ? 429 : 422,
    main: html`${
      isLimited &&
      alert(
        html`${forgotten.limits[fault]({ email })} ${forgotten.limits.wait({ count: Math.max(1, Math.ceil(waitMs / minuteMs)) })}`,
      )
    }
<p>${canMail ? forgotten.text : forgotten.noMail}</p>
${
  canMail &&
  form(
    facts.token,
    [
      field({
        name: 'email',
        label: texts.email,
        type: 'email',
        autocomplete: 'username',
        value: facts.email,
        fault:
          fault === 'email-missing'
            ? texts.emailMissing
            : fault === 'unsupported'
              ? forgotten.unsupported
              : undefined,
        focus: true,
      }),
    ],
    [{ text: forgotten.submit, action: 'send' }],
  )
}
${backLink(locale, facts.signInUrl ?? (canMail ? undefined : consoleUrl))}`,
  })
  if (!isLimited) return page
  const retryAfter = String(Math.max(1, Math.ceil(waitMs / 1000)))
  return { ...page, headers: { ...page.headers, 'retry-after': retryAfter } }
}

/** Begins a sign-in. Without a form, the page would have no way on. */
const consoleUrl = '/console/'

const minuteMs = 60_000

/** The same with and without an account. */
export const sentPage = (
  locale: Locale,
  { email, signInUrl }: { email: string; signInUrl: string | undefined },
): Page => {
  const { forgotten } = locale.texts
  return renderPage(locale, {
    title: forgotten.sentTitle,
    main: html`<p>${forgotten.sent({ email })}</p>
<p class="quiet">${forgotten.sentNothing}</p>
${backLink(locale, signInUrl)}`,
  })
}

const backLink = ({ texts }: Locale, signInUrl: string | undefined) =>
  signInUrl === undefined ? undefined : html`<p class="lone"><a href="${signInUrl}">${texts.toSignIn}</a></p>`

export const resetPage = (
  locale: Locale,
  {
    token,
    email,
    isFirst,
    fault,
    lengthMin,
  }: {
    token: string
    email: string
    isFirst: boolean
    fault: PasswordFault | undefined
    lengthMin: number
  },
): Page => {
  const { reset, ...texts } = locale.texts
  return renderPage(locale, {
    title: isFirst ? reset.firstTitle : reset.title,
    status: fault === undefined ? 200 : passwordFaultStatus(fault),
    main: html`<p>${isFirst ? reset.firstText : reset.text}</p>
${form(
  token,
  [
    field({
      name: 'email',
      label: texts.email,
      type: 'email',
      autocomplete: 'username',
      value: email,
      readonly: true,
    }),
    newPasswordField(locale, { fault, focus: true, lengthMin }),
  ],
  [{ text: reset.submit, action: 'save' }],
)}`,
  })
}

/** `signedInAs`: address of a person who chose a first password. */
export const resetDonePage = (
  locale: Locale,
  { signedInAs, way }: { signedInAs: string | undefined; way: NextLink },
): Page => {
  const { reset } = locale.texts
  return renderPage(locale, {
    title: reset.doneTitle,
    main: html`<p>${signedInAs === undefined ? reset.done : reset.doneSignedIn({ email: signedInAs })}</p>
${renderNextLink(locale, way)}`,
  })
}

export const resetGonePage = (locale: Locale, { forgottenUrl }: { forgottenUrl: string }): Page => {
  const { reset } = locale.texts
  return renderPage(locale, {
    title: reset.goneTitle,
    status: 410,
    main: html`<p>${reset.gone}</p>
<p class="way"><a class="button" href="${forgottenUrl}">${reset.another}</a></p>`,
  })
}
