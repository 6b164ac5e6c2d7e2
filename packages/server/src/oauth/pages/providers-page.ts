/** The choice among OpenID providers of workspaces, for applications that belong to no workspace. */
import type { RequestingApplication } from '#oauth/library/interaction-types'
import { tokenField } from './form.ts'
import { html } from './html.ts'
import type { Locale } from './language.ts'
import { type Page, renderPage } from './page.ts'

/** A workspace's own OpenID provider, for people. */
export interface ProviderFacts {
  /** Slug of its workspace. */
  slug: string
  name: string
  /** Host of its issuer. */
  host: string
  /** Title of its workspace. */
  workspace: string
}

/** Says where each choice leads: an administrator of the workspace chose that address. */
export const providersPage = (
  locale: Locale,
  {
    application,
    token,
    email,
    choices,
  }: { application: RequestingApplication; token: string; email: string; choices: readonly ProviderFacts[] },
): Page => {
  const { provider, login } = locale.texts
  return renderPage(locale, {
    title: provider.choose.title,
    leadsToApplication: true,
    main: html`<p class="quiet">${login.to({ application: application.title })}</p>
<p>${provider.choose.text({ email })}</p>
${choices.map(
  ({ slug, name, host }) =>
    html`<form method="post" novalidate>
<input type="hidden" name="${tokenField}" value="${token}">
<input type="hidden" name="email" value="${email}">
<input type="hidden" name="workspace" value="${slug}">
<button name="action" value="provider">${provider.with({ name })}</button>
<p class="hint">${host}</p>
</form>
`,
)}
<p class="lone"><a href="?with=password">${provider.password}</a></p>`,
  })
}
