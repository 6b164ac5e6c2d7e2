/** Pages where people manage their second factors: overview and authenticator app. */
import { displayEmail } from '@querent/contract/email-address'
import { findTexts } from '#languages/languages'
import { field, form, type PasskeySignals, passkeySignals } from './form.ts'
import { html, type Markup } from './html.ts'
import type { Locale } from './language.ts'
import { type Page, renderPage } from './page.ts'

export interface FactorsFacts {
  email: string
  /** Milliseconds since 1970. */
  app: { createdAt: number } | undefined
  passkeys: readonly { name: string; createdAt: number; lastUsedAt: number | null; url: string }[]
  recoveryCodes: number
  urls: { app: string; removeApp: string; addPasskey: string; recoveryCodes: string; account: string }
  /** Whether the server can use passkeys. */
  hasPasskeys: boolean
  /** For the browser: which passkeys the person has. Undefined: the server cannot use any. */
  passkeySignals: PasskeySignals | undefined
  scriptUrl: string
  /** The last change: a key of the texts. */
  done: string | undefined
  /** A sign-in that awaits a second factor. */
  signInUrl: string | undefined
}

const formatDate = ({ language }: Locale, ms: number): string =>
  new Date(ms).toLocaleDateString(findTexts(language).locale, { dateStyle: 'long', timeZone: 'UTC' })

export const factorsPage = (locale: Locale, facts: FactorsFacts): Page => {
  const { overview } = locale.texts.factors
  const { email, app, recoveryCodes, urls, done, signInUrl } = facts
  const doneText = Object.entries(overview.done).find(([kind]) => kind === done)?.[1]
  return renderPage(locale, {
    title: overview.title,
    scriptUrl: facts.passkeySignals && facts.scriptUrl,
    main: html`<p class="quiet">${locale.texts.signedInAs({ email })}</p>
${facts.passkeySignals && passkeySignals(facts.passkeySignals)}
${doneText !== undefined && html`<p class="done" role="status">${doneText}</p>`}
<p>${overview.text}</p>
${signInUrl !== undefined && html`<p class="way"><a class="button" href="${signInUrl}">${overview.proceed}</a></p>`}
<h2>${overview.app}</h2>
<p>${app ? overview.appSince({ date: formatDate(locale, app.createdAt) }) : overview.appText}</p>
<ul class="links">
<li><a href="${urls.app}">${app ? overview.replaceApp : overview.setUpApp}</a></li>
${app && html`<li><a href="${urls.removeApp}">${overview.removeApp}</a></li>`}
</ul>
${passkeySection(locale, facts)}
${
  (app || facts.passkeys.length > 0) &&
  html`<h2>${overview.recoveryCodes}</h2>
<p>${overview.codesLeft({ count: recoveryCodes })}</p>
<ul class="links"><li><a href="${urls.recoveryCodes}">${overview.newCodes}</a></li></ul>`
}
<p class="lone"><a href="${urls.account}">${overview.toAccount}</a></p>`,
  })
}

const describeUse = (
  locale: Locale,
  { createdAt, lastUsedAt }: { createdAt: number; lastUsedAt: number | null },
): string => {
  const { overview } = locale.texts.factors
  const created = formatDate(locale, createdAt)
  return lastUsedAt === null
    ? overview.passkeyUnused({ created })
    : overview.passkeyUsed({ created, lastUsed: formatDate(locale, lastUsedAt) })
}

const passkeySection = (locale: Locale, { passkeys, urls, hasPasskeys }: FactorsFacts): Markup => {
  const { overview } = locale.texts.factors
  return html`<h2>${overview.passkeys}</h2>
<p>${hasPasskeys ? overview.passkeysText : overview.noPasskeys}</p>
${
  passkeys.length > 0 &&
  html`<ul class="factors">${passkeys.map(
    ({ name, createdAt, lastUsedAt, url }) => html`<li><strong>${name}</strong>
<span class="hint">${describeUse(locale, { createdAt, lastUsedAt })}</span>
<a href="${url}" aria-label="${overview.change}: ${name}">${overview.change}</a></li>`,
  )}</ul>`
}
${hasPasskeys && html`<ul class="links"><li><a href="${urls.addPasskey}">${overview.addPasskey}</a></li></ul>`}`
}

export interface SetUpAppFacts {
  token: string
  email: string
  /** In base32. */
  secret: string
  /** `otpauth:` URI, for an app on the same device. */
  uri: string
  scriptUrl: string
  /** QR code of the URI, as SVG. */
  qrCode: string
  isReplacement: boolean
  /** Whether the person has no second factor yet. */
  isFirst: boolean
  fault: 'missing' | 'refused' | undefined
  cancelUrl: string
}

export const setUpAppPage = (locale: Locale, facts: SetUpAppFacts): Page => {
  const { setUpApp, step, otherSessions, codes } = locale.texts.factors
  const { fault, secret, uri, qrCode, isReplacement, isFirst } = facts
  const image = `data:image/svg+xml;base64,${Buffer.from(qrCode).toString('base64')}`
  return renderPage(locale, {
    title: setUpApp.title,
    scriptUrl: facts.scriptUrl,
    status: fault === undefined ? 200 : 422,
    main: html`<p class="quiet">${locale.texts.signedInAs({ email: facts.email })}</p>
${isReplacement && html`<p>${setUpApp.replaces}</p>`}
<p>${setUpApp.scan}</p>
<img class="qr" src="${image}" alt="${setUpApp.image}" width="240" height="240">
<p class="on-phone"><a class="button second" href="${uri}">${setUpApp.open}</a></p>
<p>${setUpApp.byHand}<br><code class="secret">${secret.match(/.{1,4}/g)?.join(' ') ?? secret}</code></p>
<p class="tools"><button type="button" class="second" data-needs-script data-copy=".secret" data-done="${codes.copied}" hidden>${codes.copy}</button></p>
${form(
  facts.token,
  [
    field({
      name: 'code',
      label: setUpApp.code,
      type: 'text',
      autocomplete: 'one-time-code',
      isNumeric: true,
      fault: fault && (fault === 'missing' ? step.faults.missing : setUpApp.refused),
      focus: fault !== undefined,
    }),
    ...(isFirst ? [describeOtherSessions(locale)] : []),
  ],
  [
    { text: setUpApp.confirm, action: 'confirm' },
    ...(isFirst ? [{ text: otherSessions.keepWithApp, action: keepSessionsAction, second: true }] : []),
  ],
)}
<p class="lone"><a href="${facts.cancelUrl}">${setUpApp.cancel}</a></p>`,
  })
}

/** Adds the first factor and keeps other sessions. Any other action ends them, also one that never showed the question. */
export const keepSessionsAction = 'keep-sessions'

/** Says what becomes of sessions from before the first factor. */
export const describeOtherSessions = ({ texts }: Locale): Markup =>
  html`<p>${texts.factors.otherSessions.text}</p>`

export interface ConfirmFacts {
  token: string
  email: string
  title: string
  text: string
  submit: string
  action: string
  cancelUrl: string
}

/** Asks before something is removed or replaced. */
export const confirmPage = (locale: Locale, facts: ConfirmFacts): Page =>
  renderPage(locale, {
    title: facts.title,
    main: html`<p class="quiet">${locale.texts.signedInAs({ email: facts.email })}</p>
<p>${facts.text}</p>
${form(facts.token, [], [{ text: facts.submit, action: facts.action }])}
<p class="lone"><a href="${facts.cancelUrl}">${locale.texts.factors.setUpApp.cancel}</a></p>`,
  })

export interface RecoveryCodesFacts {
  token: string
  email: string
  codes: readonly string[]
  /** Name of the server, for the file. */
  host: string
  scriptUrl: string
}

export const recoveryCodesPage = (locale: Locale, facts: RecoveryCodesFacts): Page => {
  const { codes: texts } = locale.texts.factors
  const { codes, email, host } = facts
  const file = encodeURIComponent(`${host}, ${displayEmail(email)}\n\n${codes.join('\n')}\n`)
  return renderPage(locale, {
    title: texts.title,
    scriptUrl: facts.scriptUrl,
    main: html`<p>${texts.text}</p>
<ul class="codes" id="codes">${codes.map(code => html`<li><code>${code}</code></li>\n`)}</ul>
<p class="tools"><a class="button second" href="data:text/plain;charset=utf-8,${file}" download="${texts.fileName}">${texts.download}</a>
<button type="button" class="second" data-needs-script data-copy="#codes" data-done="${texts.copied}" hidden>${texts.copy}</button>
<button type="button" class="second" data-needs-script data-print hidden>${texts.print}</button></p>
${form(facts.token, [], [{ text: texts.saved, action: 'saved' }])}`,
  })
}
