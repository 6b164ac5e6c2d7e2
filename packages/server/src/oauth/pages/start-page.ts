/** For those who open the server's address without an application: what it is, and where to go. */
import type { Reader } from '#oauth/boundary'
import { html } from './html.ts'
import { speechFor } from './language.ts'
import { type Page, renderPage } from './page.ts'

export const startPage = (baseUrl: string, reader: Reader): Page => {
  const speech = speechFor(reader)
  const { start, ways } = speech.texts
  return renderPage(speech, {
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

/** Until there is a console at its address. */
export const noConsolePage = (reader: Reader): Page => {
  const speech = speechFor(reader)
  const { noConsole, ways } = speech.texts
  return renderPage(speech, {
    title: noConsole.title,
    main: html`<p>${noConsole.text}</p>
<p>${noConsole.otherwise}</p>
<p class="way"><a class="button" href="/">${ways.start}</a></p>`,
  })
}
