/** Frame of every page: document, stylesheet, headers. */
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { chooseAccentColors } from '@querent/contract/accent-colors'
import { findTexts, languages } from '#languages/languages'
import { html, Markup } from './html.ts'
import { type Brand, type Locale, languageLink } from './language.ts'
import { hasPasswordToggle, showPasswordScript } from './show-password.ts'
import { styles, stylesSource, writeVariables } from './styles.ts'

/** A rendered page. */
export interface Page {
  status: number
  headers: Readonly<Record<string, string>>
  body: string
}

export interface Content {
  title: string
  /** HTTP status; default 200. */
  status?: number
  /** Content below the heading, which is the title. */
  main: Markup
  /**
   * Whether its form may lead to an application, which may redirect anywhere. Default: forms stay on this
   * origin.
   */
  leadsToApplication?: boolean
  /** The only origin whose pages may show this one in a frame. Default: none. */
  frameOrigin?: string
  /** Our script, run at the end of the page. */
  script?: string
  /** Address of our script file, loaded at the end of the page. */
  scriptUrl?: string | undefined
}

/**
 * Allows only scripts with a known hash or address, no other loaded resources and no framing (RFC 9700, section 4.16; OWASP
 * ASVS 5.0, V3.4). `same-origin` instead of `no-referrer`, with which browsers send `Origin: null` for our
 * own forms. No Cross-Origin-Opener-Policy, because applications sign people in in a popup they listen to. No
 * `form-action` if a form leads to an application: Chromium applies it to all following redirects, including
 * the application's. No page contains HTML of a client, so all forms are ours.
 */
const headersFor = (
  { language, brand }: Locale,
  { leadsToApplication = false, frameOrigin, scriptUrl }: Content,
  scripts: readonly string[],
): Record<string, string> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-language': language,
  'content-security-policy': [
    "default-src 'none'",
    `style-src ${stylesSource}${brand?.color ? ` ${createBrandStyle(brand.color).source}` : ''}`,
    `img-src data:${brand?.logo ? ` ${logoSource(brand.logo)}` : ''}`,
    ...(leadsToApplication ? [] : ["form-action 'self'"]),
    ...(scripts.length === 0 && scriptUrl === undefined
      ? []
      : [['script-src', ...scripts.map(hashSource), scriptUrl].filter(Boolean).join(' ')]),
    "base-uri 'none'",
    `frame-ancestors ${frameOrigin ?? "'none'"}`,
  ].join('; '),
  // It can't name an origin.
  ...(frameOrigin === undefined && { 'x-frame-options': 'DENY' }),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-resource-policy': frameOrigin === undefined ? 'same-origin' : 'cross-origin',
  'cache-control': 'no-store',
})

const hashSource = (script: string): string =>
  `'sha256-${createHash('sha256').update(script).digest('base64')}'`

/** The only picture that a page loads. A source of a policy has no query. */
const logoSource = (logo: string): string => {
  const { origin, pathname } = new URL(logo)
  return origin + pathname
}

const productName = 'Querent'

/** Links to the same page in other languages. */
const languageSwitch = ({ language, texts, address }: Locale): Markup | undefined =>
  address === undefined
    ? undefined
    : html`<nav aria-label="${texts.languages}">${languages.map(other =>
        other === language
          ? html`<span lang="${other}" aria-current="true">${findTexts(other).name}</span>\n`
          : html`<a href="${languageLink(address, other)}" lang="${other}" hreflang="${other}" rel="nofollow">${findTexts(other).name}</a>\n`,
      )}</nav>`

const brandLinks = ({ termsUrl, privacyUrl }: Brand, { terms, privacy }: Locale['texts']): Markup =>
  html`${termsUrl ? html`<a href="${termsUrl}">${terms}</a>\n` : undefined}${privacyUrl ? html`<a href="${privacyUrl}">${privacy}</a>\n` : undefined}`

/** Not escaped, because the hash covers these bytes. */
const inlineStyles = new Markup(styles)

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='7' fill='%232b50c8'/%3E%3Ccircle cx='14.5' cy='14.5' r='7' fill='none' stroke='%23fff' stroke-width='3'/%3E%3Cpath d='M19.7 19.7l5.8 5.8' stroke='%23fff' stroke-width='3.4' stroke-linecap='round'/%3E%3C/svg%3E"

/** The logo of the workspace, or its name, or ours with our sign. */
const brandMark = (brand: Brand | undefined, name: string): Markup => {
  if (brand?.logo) return html`<img src="${brand.logo}" alt="${name}">`
  return brand?.name ? html`${name}` : html`<span class="product"><img src="${icon}" alt="">${name}</span>`
}

export const renderPage = (locale: Locale, content: Content): Page => {
  const { title, status = 200, main, script, scriptUrl } = content
  const { language, texts, brand } = locale
  const name = brand?.name ?? productName
  const scripts = [
    script,
    hasPasswordToggle(main) ? showPasswordScript : undefined,
    // A page with a script of its own sends its form itself.
    hasForm(main) && script === undefined ? submitOnceScript : undefined,
  ].filter(source => source !== undefined)
  const document = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${status === 422 || status === 429 ? texts.faultInTitle({ title }) : title} · ${name}</title>
<link rel="icon" href="${icon}">
<style>${inlineStyles}</style>
${brand?.color ? html`<style>${new Markup(createBrandStyle(brand.color).text)}</style>\n` : undefined}</head>
<body>
<header class="mark">${brandMark(brand, name)}</header>
<main>
<h1>${title}</h1>
${main}
</main>
<footer>${languageSwitch(locale)}${brand && brandLinks(brand, texts)}</footer>
${scripts.map(source => html`<script>${new Markup(source)}</script>\n`)}${
  scriptUrl !== undefined && html`<script src="${scriptUrl}"></script>\n`
}</body>
</html>
`
  return { status, headers: headersFor(locale, content, scripts), body: document.text }
}

/** Whether a browser navigates; programs do not accept HTML. */
export const isFromBrowser = ({ method, headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') && /\btext\/html\b/.test(headers.accept ?? '')

export const sendPage = (
  response: ServerResponse,
  { status, headers, body }: Page,
  extraHeaders: Readonly<Record<string, string>> = {},
): void => {
  response
    .writeHead(status, { ...extraHeaders, ...headers, 'content-length': Buffer.byteLength(body) })
    .end(body)
}

/** A style element's text, and its source for `style-src` (CSP Level 3, section 2.3.1). */
interface BrandStyle {
  text: string
  source: string
}

/** `color` is a hexadecimal color of the workspace file. */
const createBrandStyle = (color: string): BrandStyle => {
  const dark = `:root { ${writeVariables(chooseAccentColors(color, 'dark'))} }`
  const text = `:root { ${writeVariables(chooseAccentColors(color, 'light'))} } @media (prefers-color-scheme: dark) { ${dark} }`
  return { text, source: `'sha256-${createHash('sha256').update(text).digest('base64')}'` }
}

/**
 * A page that the browser shows again after going back sends its form again. So does one whose answer has not come after ten seconds. A form for
 * passkeys is sent by its own script.
 */
export const submitOnceScript = `
{
  const sentAt = new WeakMap()
  let shownAt = 0
  addEventListener('pageshow', () => { shownAt = performance.now() })
  document.addEventListener('submit', event => {
    if (event.defaultPrevented) return
    const last = sentAt.get(event.target) ?? -Infinity
    const now = performance.now()
    if (last >= shownAt && now - last < 10000) event.preventDefault()
    else sentAt.set(event.target, now)
  })
}
`

const hasForm = ({ text }: Markup): boolean => text.includes('<form method="post"')
