/** Pages on which a person connects a device that shows a user code (RFC 8628, section 3.3). */
import type { ConsentRequest } from '#oauth/library/interaction-types'
import { describePermissions } from './consent-page.ts'
import { alert, field } from './form.ts'
import { html } from './html.ts'
import type { Locale } from './language.ts'
import { type Page, renderPage } from './page.ts'

export type UserCodeFault = 'missing' | 'unknown' | 'expired' | 'used' | 'throttled'

export interface UserCodeFacts {
  /** Path of the form. */
  action: string
  /** Secret of the session against forged forms. */
  xsrf: string
  /** As typed, or from the address. */
  userCode: string | undefined
  fault: UserCodeFault | undefined
}

export const userCodePage = (locale: Locale, { action, xsrf, userCode, fault }: UserCodeFacts): Page => {
  const { device } = locale.texts
  const isThrottled = fault === 'throttled'
  return renderPage(locale, {
    title: device.title,
    status: userCodeFaultStatus(fault),
    main: html`<p>${device.text}</p>
${isThrottled && alert(html`${device.faults.throttled}`)}
<form method="post" action="${action}?ui_locales=${locale.language}" novalidate>
<input type="hidden" name="xsrf" value="${xsrf}">
${field({
  name: 'user_code',
  label: device.label,
  type: 'text',
  autocomplete: 'off',
  value: userCode,
  hint: device.hint,
  fault: fault === undefined || isThrottled ? undefined : device.faults[fault],
  faultOfForm: isThrottled,
  focus: true,
})}
<button>${device.submit}</button>
</form>`,
  })
}

const userCodeFaultStatus = (fault: UserCodeFault | undefined): number => {
  if (fault === undefined) return 200
  return fault === 'throttled' ? 429 : 422
}

export interface DeviceConfirmFacts {
  action: string
  xsrf: string
  /** As the device shows it. */
  userCode: string
  consentRequest: ConsentRequest
  baseUrl: string
  authUrl: string
}

/** Names what asks and for what, so that nobody connects somebody else's device (RFC 8628, section 5.4). */
export const deviceConfirmPage = (locale: Locale, facts: DeviceConfirmFacts): Page => {
  const { action, xsrf, userCode, consentRequest } = facts
  const { device, consent } = locale.texts
  const { application } = consentRequest
  return renderPage(locale, {
    title: device.confirmTitle({ application: application.title }),
    main: html`<p class="quiet">${
      application.workspace
        ? consent.ofWorkspace({ workspace: application.workspace.title })
        : consent.ofServer
    }</p>
<p>${device.compare} <strong>${userCode}</strong></p>
<p id="asks"><strong>${consent.asks}</strong></p>
<ul class="permissions" aria-labelledby="asks">
${describePermissions(locale, facts).map(text => html`<li>${text}</li>\n`)}</ul>
<p class="small quiet">${device.warning}</p>
<form method="post" action="${action}?ui_locales=${locale.language}">
<input type="hidden" name="xsrf" value="${xsrf}">
<input type="hidden" name="user_code" value="${userCode}">
<button name="confirm" value="yes">${device.connect}</button>
<button name="abort" value="yes" class="second">${device.refuse}</button>
</form>`,
  })
}

export const deviceConnectedPage = (locale: Locale, application: string): Page => {
  const { device } = locale.texts
  return renderPage(locale, {
    title: device.connectedTitle,
    main: html`<p>${device.connected({ application })}</p>`,
  })
}

export const deviceRefusedPage = (locale: Locale): Page => {
  const { device } = locale.texts
  return renderPage(locale, { title: device.refusedTitle, main: html`<p>${device.refused}</p>` })
}
