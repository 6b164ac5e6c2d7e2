/** Page of the query service's origin, for people who open its address in a browser. */
import { contractVersion } from '@querent/contract/paths'
import type { Reader } from '#oauth/provider/interaction-types'
import { html } from './html.ts'
import { chooseLocale } from './language.ts'
import { type Page, renderPage } from './page.ts'

/** The URLs have no trailing slash. */
export const queryServicePage = (
  { baseUrl, authUrl }: { baseUrl: string; authUrl: string },
  reader: Reader,
): Page => {
  const locale = chooseLocale(reader)
  const { queryService, ways } = locale.texts
  const query = `${baseUrl}/${contractVersion}/<workspace>/api/<api>/e/<endpoint>/results`
  return renderPage(locale, {
    title: queryService.title,
    main: html`<p>${queryService.text}</p>
<p class="way"><a class="button" href="${authUrl}/console/">${ways.console}</a></p>
<dl class="details">
<dt>${queryService.query}</dt>
<dd><code>${query}</code></dd>
<dt>${queryService.docs}</dt>
<dd><a href="${authUrl}/console/docs/">${authUrl}/console/docs/</a></dd>
<dt>OpenAPI</dt>
<dd><a href="/${contractVersion}/openapi.json"><code>/${contractVersion}/openapi.json</code></a></dd>
</dl>`,
  })
}
