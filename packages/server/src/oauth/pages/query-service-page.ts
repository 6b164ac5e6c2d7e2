/** Page of the query service's origin, for people who open its address in a browser. */
import { contractVersion } from '@querent/contract/paths'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { demoPagePath } from '#http/demo-page'
import type { Reader } from '#oauth/library/interaction-types'
import { html } from './html.ts'
import { chooseLocale, createReader } from './language.ts'
import { isFromBrowser, type Page, renderPage } from './page.ts'

interface PageSettings {
  /** Without a trailing slash. */
  baseUrl: string
  authUrl: string
  /** Whether this origin serves the search page of `querent demo`. */
  isDemo?: boolean
}

type NotFoundHandler = (request: FastifyRequest, reply: FastifyReply) => unknown

/** Answers a browser at `/` with the page, and everything else by `answerNotFound`. */
export const answerBrowsers =
  (settings: PageSettings, answerNotFound: NotFoundHandler): NotFoundHandler =>
  (request, reply) => {
    if (request.url !== '/' || !isFromBrowser(request.raw)) return answerNotFound(request, reply)
    const { status, headers, body } = queryServicePage(settings, createReader(request.raw, undefined))
    return reply.code(status).headers(headers).send(body)
  }

const queryServicePage = ({ baseUrl, authUrl, isDemo = false }: PageSettings, reader: Reader): Page => {
  const locale = chooseLocale(reader)
  const { queryService, ways } = locale.texts
  const query = `${baseUrl}/${contractVersion}/<workspace>/api/<api>/e/<endpoint>/results`
  return renderPage(locale, {
    title: queryService.title,
    main: html`<p>${queryService.text}</p>
${!isDemo ? undefined : html`<p class="way"><a class="button" href="${demoPagePath}">${queryService.search}</a></p>\n`}<p class="way"><a class="button${isDemo ? ' second' : ''}" href="${authUrl}/console/">${ways.console}</a></p>
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
