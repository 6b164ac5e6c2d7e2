/**
 * The language of a page: the one the person chose on a page, the application's preference, the browser's, or English. A choice is a cookie,
 * so that it holds for all pages.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Branding } from '@querent/contract/branding'
import { findTexts, type Language, languages } from '#languages/languages'
import type { PageTexts } from '#languages/page-texts'
import type { Reader } from '#oauth/library/interaction-types'

/** Tags considered; the header may be long. */
const tagsMax = 20

/** Parameter of a link that chooses the language. */
const languageParameter = 'page_language'
const languageCookie = 'querent_language'
const cookieSeconds = 365 * 24 * 60 * 60

/** How a workspace wants its pages to look. */
export type Brand = Branding & { name: string }

export interface Locale {
  language: Language
  texts: PageTexts
  /** Path and query of the page, for links to the same page in other languages. Undefined if it can't be requested again. */
  address?: string | undefined
  brand?: Brand | undefined
}

/** `nl` for `nl-BE` (RFC 4647, section 3.4). */
const matchLanguage = (tag: string): Language | undefined =>
  languages.find(language => language === tag.trim().toLowerCase().split('-')[0])

/** Sorts `nl-BE, nl;q=0.9, en;q=0.8` by preference (RFC 9110, section 12.5.4). */
const sortByQuality = (acceptLanguage: string): string[] =>
  acceptLanguage
    .split(',', tagsMax)
    .map(part => {
      const [tag = '', quality] = part.split(/;\s*q=/i)
      return { tag, quality: quality === undefined ? 1 : Number(quality) || 0 }
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag)

export const chooseLocale = ({
  chosenLanguage = '',
  uiLocales = '',
  acceptLanguage = '',
  address,
}: Reader): Locale => {
  const tags = [chosenLanguage, ...uiLocales.split(' ', tagsMax), ...sortByQuality(acceptLanguage)]
  const language = tags.map(matchLanguage).find(match => match !== undefined) ?? 'en'
  return { language, texts: findTexts(language).pages, address }
}

/** Adds the branding of a workspace, if it has any. */
export const withBrand = (
  locale: Locale,
  workspace: { title: string; definition: { branding?: Branding | null } } | undefined,
): Locale => {
  const branding = workspace?.definition.branding
  return branding ? { ...locale, brand: { ...branding, name: branding.name ?? workspace.title } } : locale
}

/** A path of this server, which no browser takes for the address of another one. */
const localAddress = /^\/(?![/\\])/

/** Facts of the request that a page answers. */
type PageRequest = Pick<IncomingMessage, 'headers' | 'method' | 'url'>

/** Describes who reads the page that answers a request. */
export const createReader = (request: PageRequest, uiLocales: string | undefined): Reader => ({
  acceptLanguage: request.headers['accept-language'],
  uiLocales,
  chosenLanguage: new RegExp(`(?:^|;\\s*)${languageCookie}=([a-z]{2,3})(?![a-z])`).exec(
    request.headers.cookie ?? '',
  )?.[1],
  address: findAddress(request),
})

/** Returns path and query of the page. A page that answers a form names the page with the form, because a form cannot be sent again. */
const findAddress = ({ headers: { host, referer }, method, url = '/' }: PageRequest): string | undefined => {
  if (method === 'GET' || method === 'HEAD') return localAddress.test(url) ? url : undefined
  const page = URL.parse(referer ?? '')
  if (!page || page.host !== host) return undefined
  const address = page.pathname + page.search
  return localAddress.test(address) ? address : undefined
}

/** Returns the address that shows the page in another language. */
export const languageLink = (address: string, language: Language): string =>
  `${address}${address.includes('?') ? '&' : '?'}${languageParameter}=${language}`

/** If the request chooses a language, stores it and redirects to the same page. Returns whether it did. */
export const switchLanguage = (
  request: IncomingMessage,
  response: ServerResponse,
  authUrl: string,
): boolean => {
  const { method, url = '/' } = request
  if (method !== 'GET' || !url.includes(`${languageParameter}=`) || !localAddress.test(url)) return false
  const match = new RegExp(`[?&]${languageParameter}=([^&]*)`).exec(url)
  const language = languages.find(candidate => candidate === match?.[1])
  if (!match || language === undefined) return false
  const rest = url.slice(0, match.index) + url.slice(match.index + match[0].length)
  const [path = '/', ...query] = rest.split(/[?&]/)
  const location = query.length === 0 ? path : `${path}?${query.join('&')}`
  const secure = authUrl.startsWith('https:') ? '; Secure' : ''
  // Not `HttpOnly`: the console reads it too (console/src/i18n/translate.ts).
  const cookie = `${languageCookie}=${language}; Path=/; Max-Age=${cookieSeconds}; SameSite=Lax${secure}`
  response.writeHead(303, { location, 'set-cookie': cookie, 'cache-control': 'no-store' }).end()
  return true
}
