/** The link to the next step. */
import { html, type Markup } from './html.ts'
import type { Locale } from './language.ts'

export type NextLink =
  | { kind: 'start' | 'console' | 'logout' }
  /** Page of the rejected form. */
  | { kind: 'again'; href: string }
  /** A pending sign-in. */
  | { kind: 'sign-in'; href: string }
  | { kind: 'application'; href: string; title: string }
  /** An application on the person's device, which cannot be linked. */
  | { kind: 'native'; title: string }

/** Paths of this server. */
const hrefs = { start: '/', console: '/console/', logout: '/logout' }

export const renderNextLink = ({ texts }: Locale, way: NextLink): Markup => {
  if (way.kind === 'native') return html`<p class="way">${texts.ways.native({ title: way.title })}</p>`
  const text =
    way.kind === 'application' ? texts.ways.application({ title: way.title }) : texts.ways[way.kind]
  const href = 'href' in way ? way.href : hrefs[way.kind]
  return html`<p class="way"><a class="button" href="${href}">${text}</a></p>`
}
