/** Start page of the server, for people who open it without an application. */
import type { Reader } from '#oauth/library/interaction-types'
import { html } from './html.ts'
import { chooseLocale } from './language.ts'
import { type Page, renderPage } from './page.ts'

export const startPage = (baseUrl: string, reader: Reader): Page => {
  const locale = chooseLocale(reader)
  const { start, ways } = locale.texts
  return renderPage(locale, {
    title: start.title,
    main: html`<p>${start.text}</p>
<p class="way"><a class="button" href="/console/">${ways.console}</a></p>
<dl class="details">
<dt>${start.queries}</dt>
<dd><code>${baseUrl}</code></dd>
<dt>${start.metadata}</dt>
<dd><a href="/.well-known/openid-configuration"><code>/.well-known/openid-configuration</code></a></dd>
</dl>`,
  })
}
