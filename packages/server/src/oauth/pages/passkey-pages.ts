/** Pages where people add, rename and remove passkeys. */
import { describeOtherSessions, keepSessionsAction } from './factor-pages.ts'
import { field, form, passkeyForm } from './form.ts'
import { html } from './html.ts'
import type { Locale } from './language.ts'
import { type Page, renderPage } from './page.ts'

export const passkeyFaults = ['refused', 'tooMany'] as const
export type PasskeyFault = (typeof passkeyFaults)[number]

export interface AddPasskeyFacts {
  token: string
  email: string
  /** Suggested name. */
  name: string
  /** Whether the person has no second factor yet. */
  isFirst: boolean
  options: object
  fault: PasskeyFault | undefined
  scriptUrl: string
  cancelUrl: string
}

export const addPasskeyPage = (locale: Locale, facts: AddPasskeyFacts): Page => {
  const { passkeyPage, passkey, setUpApp, otherSessions } = locale.texts.factors
  const { fault, email, name, token, isFirst, options, scriptUrl, cancelUrl } = facts
  return renderPage(locale, {
    title: passkeyPage.addTitle,
    status: fault === undefined ? 200 : 422,
    scriptUrl,
    main: html`<p class="quiet">${locale.texts.signedInAs({ email })}</p>
<p>${passkeyPage.addText}</p>
${fault !== undefined && html`<p class="alert" role="alert">${passkeyPage[fault]}</p>`}
${passkeyForm(token, {
  kind: 'create',
  options,
  fields: [nameField(locale, name), ...(isFirst ? [describeOtherSessions(locale)] : [])],
  button: passkeyPage.add,
  otherButton: isFirst ? { text: otherSessions.keepWithPasskey, action: keepSessionsAction } : undefined,
  faults: passkey,
})}
<noscript><p>${passkeyPage.noScript}</p></noscript>
<p class="lone"><a href="${cancelUrl}">${setUpApp.cancel}</a></p>`,
  })
}

const nameField = ({ texts }: Locale, name: string) =>
  field({
    name: 'name',
    label: texts.factors.passkeyPage.name,
    type: 'text',
    autocomplete: 'off',
    value: name,
    hint: texts.factors.passkeyPage.nameHint,
  })

export interface PasskeyFacts {
  token: string
  email: string
  name: string
  isLast: boolean
  cancelUrl: string
}

/** Renames or removes a passkey. */
export const passkeyPage = (
  locale: Locale,
  { token, email, name, isLast, cancelUrl }: PasskeyFacts,
): Page => {
  const { passkeyPage: texts, setUpApp } = locale.texts.factors
  return renderPage(locale, {
    title: texts.changeTitle({ name }),
    main: html`<p class="quiet">${locale.texts.signedInAs({ email })}</p>
${form(token, [nameField(locale, name)], [{ text: texts.save, action: 'rename' }])}
${isLast && html`<p>${texts.last}</p>`}
${form(token, [], [{ text: texts.remove, action: 'remove', second: true }])}
<p class="lone"><a href="${cancelUrl}">${setUpApp.cancel}</a></p>`,
  })
}

/** Offers a passkey between the sign-in and the application. */
export const offeredPasskeyPage = (
  locale: Locale,
  { token, email, createUrl }: { token: string; email: string; createUrl: string },
): Page => {
  const { offer } = locale.texts.factors
  return renderPage(locale, {
    title: offer.title,
    leadsToApplication: true,
    main: html`<p class="quiet">${locale.texts.signedInAs({ email })}</p>
<p>${offer.text}</p>
<p class="way"><a class="button" href="${createUrl}">${offer.create}</a></p>
${form(token, [], [{ text: offer.later, action: 'later', second: true }])}`,
  })
}
