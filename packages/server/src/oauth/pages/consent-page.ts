/** Shows what an application may do and asks for consent. */
import type { ConsentRequest, RequestingApplication } from '#oauth/library/interaction-types'
import { alert, form } from './form.ts'
import { html, type Markup } from './html.ts'
import type { Locale } from './language.ts'
import { type Page, renderPage } from './page.ts'

/** Where people withdraw a consent. */
const accountPath = '/console/you'

export interface ConsentFacts {
  consentRequest: ConsentRequest
  token: string
  /** Address of the signed-in person. */
  email: string
  otherAccountUrl: string
  /** The form was sent without a decision. */
  isUndecided: boolean
  baseUrl: string
  authUrl: string
}

export const consentPage = (locale: Locale, facts: ConsentFacts): Page => {
  const { consentRequest: request, token, email, otherAccountUrl, isUndecided } = facts
  const { consent, signedInAs, otherAccount } = locale.texts
  const { application } = request
  return renderPage(locale, {
    title: consent.title({ application: application.title }),
    status: isUndecided ? 422 : 200,
    leadsToApplication: true,
    main: html`${describeOrigin(locale, application)}
<p class="small">${signedInAs({ email })} <a href="${otherAccountUrl}">${otherAccount}</a></p>
<p id="asks"><strong>${consent.asks}</strong></p>
<ul class="permissions" aria-labelledby="asks">
${describePermissions(locale, facts).map(text => html`<li>${text}</li>\n`)}</ul>
${describeLinks(locale, application)}${isUndecided && alert(html`${consent.undecided}`)}
<p class="small quiet">${application.sendsBackTo !== undefined && html`${consent.sendsBack({ place: readHost(application.sendsBackTo) })} `}${consent.later} <a href="${accountPath}" target="_blank" rel="noopener">${consent.account}</a>.</p>
${form(
  token,
  [],
  [
    { text: consent.allow, action: 'allow' },
    { text: consent.deny, action: 'cancel', second: true },
  ],
)}`,
  })
}

/** Says whose application it is. Nobody vouches for an unregistered one but the host of its document. */
const describeOrigin = ({ texts }: Locale, { host, workspace }: RequestingApplication): Markup => {
  const { consent } = texts
  if (host !== undefined)
    return html`<p class="host"><strong>${host}</strong></p>
<p>${consent.ofHost({ host, workspace: workspace?.title ?? '' })}</p>`
  return html`<p class="quiet">${workspace ? consent.ofWorkspace({ workspace: workspace.title }) : consent.ofServer}</p>`
}

/** Links of an application that registered itself lead to whatever it says, so each one names its host. */
const describeLinks = ({ texts }: Locale, { title, policyUri, termsUri }: RequestingApplication): Markup => {
  const { policy, terms } = texts.consent
  const link = (href: string | undefined, text: string) =>
    href !== undefined &&
    html`<p class="small quiet"><a href="${href}" target="_blank" rel="noopener noreferrer">${text}</a> (${readHost(href)})</p>\n`
  return html`${link(policyUri, policy({ application: title }))}${link(termsUri, terms({ application: title }))}`
}

/** Returns the host as in the address bar, or a private-use scheme. */
const readHost = (sendsBackTo: string): string => {
  const url = URL.parse(sendsBackTo)
  return url !== null && url.host !== '' ? url.host : sendsBackTo
}

/** One sentence for each permission, widest first, without duplicates. */
export const describePermissions = (
  { texts }: Locale,
  {
    consentRequest: { scopes, claims, resources },
    baseUrl,
    authUrl,
  }: Pick<ConsentFacts, 'consentRequest' | 'baseUrl' | 'authUrl'>,
): string[] => {
  const { permissions: words, claims: names } = texts.consent
  const readClaimName = (claim: string): string =>
    Object.entries(names).find(([name]) => name === claim)?.[1] ?? claim
  const resourceTexts = resources.map(resource => {
    const address = resource.replace(/\/$/, '')
    if (address === baseUrl) return words.search
    return address.startsWith(authUrl) ? words.manage : words.searchIn({ address })
  })
  const scopeTexts = scopes.flatMap(scope => {
    if (scope === 'offline_access') return words.offline
    return scope === 'openid' || scope === 'profile' || scope === 'email' ? words[scope] : []
  })
  return [
    ...new Set([
      ...resourceTexts,
      ...claims.map(claim => words.claim({ name: readClaimName(claim) })),
      ...scopeTexts,
    ]),
  ]
}
