/** Pages on which the postmaster of a domain confirms it for a workspace's own OpenID provider. */
import { form } from './form.ts'
import { html } from './html.ts'
import type { Locale } from './language.ts'
import { type Page, renderPage } from './page.ts'

export const confirmDomainPage = (
  locale: Locale,
  { token, ...facts }: { token: string; domain: string; workspace: string; issuer: string },
): Page => {
  const { domain } = locale.texts
  return renderPage(locale, {
    title: domain.title({ domain: facts.domain }),
    main: html`<p>${domain.text(facts)}</p>
<p class="quiet">${domain.warning}</p>
${form(token, [], [{ text: domain.submit, action: 'confirm' }])}`,
  })
}

export const domainConfirmedPage = (locale: Locale, facts: { domain: string; workspace: string }): Page => {
  const { domain } = locale.texts
  return renderPage(locale, { title: domain.doneTitle, main: html`<p>${domain.done(facts)}</p>` })
}

/** The same for a link that was used or replaced, has expired, or whose domain is no longer in the workspace file. */
export const domainLinkGonePage = (locale: Locale): Page => {
  const { domain } = locale.texts
  return renderPage(locale, { title: domain.goneTitle, status: 410, main: html`<p>${domain.gone}</p>` })
}
