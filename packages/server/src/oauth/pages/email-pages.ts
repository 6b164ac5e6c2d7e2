/** Pages that confirm a person's new email address. */
import { form } from './form.ts'
import { html } from './html.ts'
import type { Locale } from './language.ts'
import { type Page, renderPage } from './page.ts'

export const confirmEmailPage = (
  locale: Locale,
  facts: { token: string; emailBefore: string; email: string; cancelUrl: string },
): Page => {
  const { changeEmail } = locale.texts
  return renderPage(locale, {
    title: changeEmail.title,
    main: html`<p>${changeEmail.text({ before: facts.emailBefore, email: facts.email })}</p>
<p class="quiet">${changeEmail.effect}</p>
${form(facts.token, [], [{ text: changeEmail.submit, action: 'confirm' }])}
<p class="lone"><a href="${facts.cancelUrl}">${changeEmail.cancel}</a></p>`,
  })
}

export const emailChangedPage = (
  locale: Locale,
  { email, accountUrl }: { email: string; accountUrl: string },
): Page => {
  const { changeEmail } = locale.texts
  return renderPage(locale, {
    title: changeEmail.doneTitle,
    main: html`<p>${changeEmail.done({ email })}</p>
<p class="way"><a class="button" href="${accountUrl}">${changeEmail.toAccount}</a></p>`,
  })
}

/** The same for a link that was used, replaced, canceled or has expired, and for an address that has an account by now. */
export const emailLinkGonePage = (locale: Locale, { accountUrl }: { accountUrl: string }): Page => {
  const { changeEmail, reset } = locale.texts
  return renderPage(locale, {
    title: reset.goneTitle,
    status: 410,
    main: html`<p>${changeEmail.gone}</p>
<p class="way"><a class="button" href="${accountUrl}">${changeEmail.toAccount}</a></p>`,
  })
}

export const otherAccountLinkPage = (locale: Locale, { email }: { email: string }): Page => {
  const { changeEmail, signedInAs, ways } = locale.texts
  return renderPage(locale, {
    title: changeEmail.otherTitle,
    status: 403,
    main: html`<p>${signedInAs({ email })} ${changeEmail.other}</p>
<p class="way"><a class="button" href="/logout">${ways.logout}</a></p>`,
  })
}
