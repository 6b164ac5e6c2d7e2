/**
 * Pages for people signed in with an account that cannot continue: they offer another account and the way
 * back.
 */
import type { RequestingApplication } from '#oauth/library/interaction-types'
import { form } from './form.ts'
import { html, type Markup } from './html.ts'
import type { Locale } from './language.ts'
import { type Page, renderPage } from './page.ts'

export interface AccountFacts {
  application: RequestingApplication
  token: string
  /** Address of the signed-in person. */
  email: string
  otherAccountUrl: string
}

/** Says that the person is not a member, and whom to ask. */
export const memberPage = (locale: Locale, facts: AccountFacts): Page => {
  const { member } = locale.texts
  const { application, email } = facts
  const workspace = application.workspace?.title ?? application.title
  return withWays(locale, facts, {
    title: member.title,
    main: html`<p>${member.text({ email, workspace })}</p>
<p>${member.ask({ workspace })}</p>`,
  })
}

/** The application requests a certain account. The page does not reveal which. */
export const wrongAccountPage = (locale: Locale, facts: AccountFacts): Page => {
  const { wrongAccount, signedInAs } = locale.texts
  const { application, email } = facts
  return withWays(locale, facts, {
    title: wrongAccount.title,
    main: html`<p>${signedInAs({ email })} ${wrongAccount.text({ application: application.title })}</p>`,
  })
}

/** The application, or its workspace, requires a second factor, and the person has none yet. */
export const requiredFactorPage = (
  locale: Locale,
  facts: AccountFacts & {
    appUrl: string
    passkeyUrl: string | undefined
    /** The party that requires it. `console`: a workspace that the person opens in the console. */
    requiredBy: 'workspace' | 'application' | 'console'
  },
): Page => {
  const { signedInAs, back, factors } = locale.texts
  const { application, email, token, appUrl, passkeyUrl } = facts
  const { required } = factors
  return renderPage(locale, {
    title: required.title,
    status: 403,
    leadsToApplication: true,
    main: html`<p>${
      facts.requiredBy === 'console'
        ? required.console
        : facts.requiredBy === 'workspace' && application.workspace
          ? required.workspace({ workspace: application.workspace.title })
          : required.application({ application: application.title })
    }</p>
<p class="quiet">${signedInAs({ email })}</p>
<p class="way"><a class="button" href="${appUrl}">${required.app}</a></p>
${passkeyUrl !== undefined && html`<p><a class="button second" href="${passkeyUrl}">${required.passkey}</a></p>`}
${form(token, [], [{ text: back({ application: application.title }), action: 'cancel', second: true }])}`,
  })
}

/** The same for a person whom the workspace's own OpenID provider signed in: it must have asked for two factors. */
export const providerFactorPage = (locale: Locale, facts: AccountFacts): Page => {
  const { signedInAs, provider } = locale.texts
  const { factor } = provider
  const { application, email } = facts
  return withWays(locale, facts, {
    title: factor.title,
    main: html`<p>${
      application.workspace
        ? factor.workspace({ workspace: application.workspace.title })
        : factor.application({ application: application.title })
    }</p>
<p>${factor.advice}</p>
<p class="quiet">${signedInAs({ email })}</p>`,
    otherAccount: factor.again,
  })
}

/** A page of the person's account, for a session that a workspace's own OpenID provider began. */
export const providerAccountPage = (
  locale: Locale,
  { email, signInUrl }: { email: string; signInUrl: string },
): Page => {
  const { signedInAs, provider } = locale.texts
  return renderPage(locale, {
    title: provider.account.title,
    status: 403,
    main: html`<p>${provider.account.text}</p>
<p class="quiet">${signedInAs({ email })}</p>
<p class="way"><a class="button" href="${signInUrl}">${provider.account.signIn}</a></p>`,
  })
}

const withWays = (
  locale: Locale,
  { application, token, otherAccountUrl }: AccountFacts,
  {
    title,
    main,
    otherAccount = locale.texts.switchAccount,
  }: { title: string; main: Markup /** Text of the button to the sign-in. */; otherAccount?: string },
): Page => {
  const { back } = locale.texts
  return renderPage(locale, {
    title,
    status: 403,
    leadsToApplication: true,
    main: html`${main}
<p class="way"><a class="button" href="${otherAccountUrl}">${otherAccount}</a></p>
${form(token, [], [{ text: back({ application: application.title }), action: 'cancel', second: true }])}`,
  })
}
