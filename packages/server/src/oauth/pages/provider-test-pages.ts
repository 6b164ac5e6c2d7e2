/** Pages on which an administrator tests the sign-in of the workspace's own OpenID provider. */
import type { Role } from '@querent/contract/manage'
import { form } from './form.ts'
import { html, type Markup } from './html.ts'
import type { Locale } from './language.ts'
import type { ProviderFault } from './login-page.ts'
import { type Page, renderPage } from './page.ts'

interface TestFacts {
  workspace: string
  issuer: string
  /** Settings of the workspace in the console. */
  settingsUrl: string
}

export const startProviderTestPage = (
  locale: Locale,
  { token, settingsUrl, ...facts }: TestFacts & { token: string },
): Page => {
  const { providerTest } = locale.texts
  return renderPage(locale, {
    title: providerTest.title,
    // The form leads to the provider.
    leadsToApplication: true,
    main: html`<p>${providerTest.text(facts)}</p>
<p class="quiet">${providerTest.nothing}</p>
${form(token, [], [{ text: providerTest.submit, action: 'test' }])}
${settingsLink(locale, settingsUrl)}`,
  })
}

/** The provider did not answer, or its answer was not accepted. `reason` is its own text. */
export const testFailedPage = (
  locale: Locale,
  { fault, reason, settingsUrl }: TestFacts & { fault: ProviderFault; reason: string | undefined },
): Page => {
  const { providerTest, provider } = locale.texts
  return renderPage(locale, {
    title: providerTest.failed,
    main: html`<p class="alert" role="alert">${provider.faults[fault]}</p>
${reason !== undefined && html`<dl class="details"><dt>${providerTest.reason}</dt><dd><code>${reason}</code></dd></dl>`}
${settingsLink(locale, settingsUrl)}`,
  })
}

interface TestResult extends TestFacts {
  claims: Readonly<Record<string, unknown>>
  preview: {
    fault?: keyof Locale['texts']['provider']['faults'] extends `provider-${infer Fault}` ? Fault : never
    email?: string
    name?: string
    isNew?: boolean
    roles: readonly Role[]
  }
  isSecondFactorMissing: boolean
}

/** The claims received, and the sign-in that would follow from them. */
export const testResultPage = (
  locale: Locale,
  { claims, preview, isSecondFactorMissing, settingsUrl }: TestResult,
): Page => {
  const { providerTest, provider, email } = locale.texts
  const { fault, roles } = preview
  const outcome =
    fault === undefined
      ? html`<p>${preview.isNew ? providerTest.newPerson : providerTest.existingPerson}</p>`
      : html`<p class="alert" role="alert">${provider.faults[`provider-${fault}`]}</p>`
  return renderPage(locale, {
    title: fault === undefined ? providerTest.accepted : providerTest.refused,
    main: html`${outcome}
${isSecondFactorMissing && html`<p>${providerTest.secondFactor}</p>`}
<p class="quiet">${providerTest.nothing}</p>
<dl class="details">
${preview.email !== undefined && row(email, preview.email)}
${preview.name !== undefined && preview.name !== '' && row(providerTest.name, preview.name)}
${row(providerTest.roles, roles.length === 0 ? providerTest.noRoles : roles.join(', '))}
</dl>
<h2>${providerTest.claims}</h2>
<dl class="details">
${Object.entries(claims)
  .slice(0, claimsMax)
  .map(([name, value]) => row(name, formatValue(value)))}
</dl>
${settingsLink(locale, settingsUrl)}`,
  })
}

const claimsMax = 100
const valueCharactersMax = 500

const formatValue = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > valueCharactersMax ? `${text.slice(0, valueCharactersMax)}…` : text
}

const row = (name: string, value: string): Markup => html`<dt>${name}</dt>\n<dd><code>${value}</code></dd>\n`

const settingsLink = (locale: Locale, url: string): Markup =>
  html`<p class="lone"><a href="${url}">${locale.texts.providerTest.settings}</a></p>`
