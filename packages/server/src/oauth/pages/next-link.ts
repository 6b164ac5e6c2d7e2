/** Where a page leads that would end otherwise. */
import { html, type Markup } from './html.ts'
import type { Locale } from './language.ts'

export type NextLink =
  | { to: 'start' | 'console' | 'logout' }
  /** The page of the form that was not taken. */
  | { to: 'again'; href: string }
  /** A sign-in that waits. */
  | { to: 'sign-in'; href: string }
  | { to: 'application'; href: string; title: string }
  /** An application on the person's device, to which no link leads. */
  | { to: 'native'; title: string }

/** Addresses of this server's own. */
const hrefs = { start: '/', console: '/console/', logout: '/logout' }

export const renderNextLink = ({ texts }: Locale, way: NextLink): Markup => {
  if (way.to === 'native') return html`<p class="way">${texts.ways.native(way.title)}</p>`
  const text = way.to === 'application' ? texts.ways.application(way.title) : texts.ways[way.to]
  const href = 'href' in way ? way.href : hrefs[way.to]
  return html`<p class="way"><a class="button" href="${href}">${text}</a></p>`
}
