/** The sign-in page. */
import type { RequestingApplication } from '#oauth/library/interaction-types'
import { alert, field, form, type PasskeySignals, passkeyForm, passkeySignals } from './form.ts'
import { html, type Markup } from './html.ts'
import type { Locale } from './language.ts'
import { type Page, renderPage } from './page.ts'
import type { ProviderFacts } from './providers-page.ts'

/** Faults of a submitted form. */
const providerFaults = [
  'provider-down',
  'provider-secret',
  'provider-denied',
  'provider-refused',
  'provider-none',
  'provider-email-missing',
  'provider-email-unverified',
  'provider-domain',
  'provider-domain-unproved',
  'provider-other-person',
  'provider-no-access',
  'provider-disabled',
] as const
/** Why a workspace's own OpenID provider did not sign the person in. */
export type ProviderFault = (typeof providerFaults)[number]
export const loginFaults = [
  'email-missing',
  'password-missing',
  'refused',
  'throttled',
  'passkey',
  'unknownPasskey',
  ...providerFaults,
] as const
export type LoginFault = (typeof loginFaults)[number]

export interface LoginFacts {
  application: RequestingApplication
  token: string
  /** As typed, or as the application suggests. */
  email: string | undefined
  /** Signed in already, and must sign in again. */
  isRepeated: boolean
  /** The person has just chosen a new password. */
  isPasswordSaved: boolean
  fault: LoginFault | undefined
  forgottenUrl: string
  /** Without mail, only an operator can create a link. */
  canMail: boolean
  /** Options for signing in with a passkey; undefined: the server cannot use any. */
  passkeyOptions: object | undefined
  /** For the browser: the passkey that it offered is not known. */
  passkeySignals: PasskeySignals | undefined
  /** Former host name of this server that people have passkeys of. */
  formerHost: string | undefined
  scriptUrl: string
  /** The workspace's own OpenID provider. */
  provider: ProviderFacts | undefined | null
  /** Asks for the address alone: with a provider, it says where to go next. */
  hidesPassword: boolean
  /** The same page with the password. */
  passwordUrl: string
  /** Whether a workspace has a provider, for applications that belong to none. */
  hasOrganizations: boolean
}

export const loginPage = (locale: Locale, facts: LoginFacts): Page => {
  const { application, token, email, isRepeated, fault, forgottenUrl, passkeyOptions, scriptUrl } = facts
  const { login, ...texts } = locale.texts
  const { provider, passwordUrl, hasOrganizations } = facts
  const isAddressOnly = facts.hidesPassword && Boolean(provider)
  const emailFault = fault === 'email-missing' ? texts.emailMissing : undefined
  const emailFocus = fault === 'email-missing' || email === undefined
  return renderPage(locale, {
    title: login.title,
    status: loginFaultStatus(fault),
    leadsToApplication: true,
    scriptUrl: passkeyOptions && scriptUrl,
    main: html`<p class="quiet">${describeTarget(locale, application)}</p>
${facts.passkeySignals && passkeySignals(facts.passkeySignals)}
${isRepeated && html`<p>${login.again}</p>`}
${facts.isPasswordSaved && html`<p class="done" role="status">${login.passwordSaved}</p>`}
${loginAlert(locale, facts)}
${form(
  token,
  [
    field({
      name: 'email',
      label: texts.email,
      type: 'email',
      // Browsers then suggest passkeys here.
      autocomplete: passkeyOptions ? 'username webauthn' : 'username',
      value: email,
      fault: emailFault,
      focus: emailFocus,
      faultOfForm: isFormFault(fault),
    }),
    isAddressOnly ? html`` : currentPassword(locale, { fault, focus: !emailFocus, forgottenUrl }),
    // The script of the page says whether this device can keep a passkey.
    html`${passkeyOptions && html`<input type="hidden" name="offer_passkey" value="">`}`,
  ],
  [
    isAddressOnly ? { text: texts.provider.next, action: 'next' } : { text: login.submit, action: 'sign-in' },
    ...(hasOrganizations
      ? [{ text: texts.provider.organization, action: 'organization', second: true }]
      : []),
    { text: login.cancel, action: 'cancel', plain: true },
  ],
)}
${provider ? providerForm(locale, token, provider) : undefined}
${isAddressOnly && html`<p class="lone"><a href="${passwordUrl}">${texts.provider.password}</a></p>`}
${
  passkeyOptions &&
  passkeyForm(token, {
    kind: 'get',
    options: passkeyOptions,
    button: texts.factors.passkey.signIn,
    second: true,
    faults: texts.factors.passkey,
  })
}
${facts.formerHost !== undefined && html`<p class="hint">${texts.factors.passkey.former({ host: facts.formerHost })}</p>`}`,
  })
}

const describeTarget = ({ texts: { login } }: Locale, { title, workspace }: RequestingApplication): string =>
  workspace === undefined
    ? login.to({ application: title })
    : login.toOfWorkspace({ application: title, workspace: workspace.title })

/** Leads to the provider without an address. */
const providerForm = ({ texts }: Locale, token: string, { name }: ProviderFacts): Markup =>
  form(token, [], [{ text: texts.provider.with({ name }), action: 'provider', second: true }])

const isProviderFault = (fault: LoginFault | undefined): fault is ProviderFault =>
  providerFaults.some(candidate => candidate === fault)

export const loginFaultStatus = (fault: LoginFault | undefined): number => {
  if (fault === undefined) return 200
  if (fault === 'provider-down' || fault === 'provider-secret') return 503
  return fault === 'throttled' ? 429 : 422
}

/** Error of the whole form and the way around it; errors of a field are next to it. */
export const loginAlert = (
  { texts }: Locale,
  { fault, forgottenUrl, canMail }: Pick<LoginFacts, 'fault' | 'forgottenUrl' | 'canMail'>,
): Markup | undefined => {
  if (isProviderFault(fault)) return alert(html`${texts.provider.faults[fault]}`)
  if (fault === 'refused') return alert(html`${texts.refused}`)
  if (fault === 'unknownPasskey') return alert(html`${texts.factors.step.faults.unknownPasskey}`)
  if (fault === 'passkey') return alert(html`${texts.factors.step.faults.passkey}`)
  if (fault !== 'throttled') return undefined
  const { before, link, after, noMail } = texts.throttled
  if (!canMail) return alert(html`${noMail}`)
  return alert(html`${before} <a href="${forgottenUrl}">${link}</a>${after}`)
}

const isFormFault = (fault: LoginFault | undefined): boolean => fault === 'refused' || fault === 'throttled'

export const currentPassword = (
  { texts }: Locale,
  { fault, focus, forgottenUrl }: { fault: LoginFault | undefined; focus: boolean; forgottenUrl: string },
) =>
  field({
    name: 'password',
    label: texts.password,
    type: 'password',
    autocomplete: 'current-password',
    fault: fault === 'password-missing' ? texts.passwordMissing : undefined,
    focus,
    show: texts.showPassword,
    faultOfForm: isFormFault(fault),
    link: { href: forgottenUrl, text: texts.forgot },
  })
