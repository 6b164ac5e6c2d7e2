/** Serves the management console: its built files, and one page for all its addresses. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import staticFiles from '@fastify/static'
import { isLoopback } from '@querent/contract/server-origin'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const prefix = '/console/'
const page = fileURLToPath(import.meta.resolve('@querent/console/dist/index.html'))
/** Sections of the documentation, a JSON document in each line. */
export const docsSectionsFile: string = join(dirname(page), 'docs', 'sections.ndjson')

interface Addresses {
  authUrl: string
  /** Address of the query service, which the console calls too. */
  baseUrl: string
}

/** Handles `GET /console/…`. Throws if the console is not built. */
export const registerConsole = async (
  app: FastifyInstance,
  { authUrl, baseUrl }: Addresses,
): Promise<void> => {
  const template = readPage()
  await app.register(staticFiles, {
    root: join(dirname(page), 'assets'),
    prefix: `${prefix}assets/`,
    preCompressed: true,
    // Their names contain a hash of their content.
    immutable: true,
    maxAge: '365d',
    index: false,
    decorateReply: false,
  })
  // The documentation, which the pages of the console link to.
  await app.register(staticFiles, {
    root: join(dirname(page), 'docs'),
    prefix: `${prefix}docs/`,
    preCompressed: true,
    decorateReply: false,
    setHeaders: reply => {
      for (const [name, value] of Object.entries(docsHeaders)) reply.header(name, value)
    },
  })
  // The pages of the documentation show them (docs/.vitepress/theme/server-addresses.ts).
  app.get(`${prefix}docs/addresses.json`, async (_, reply) =>
    reply.header('cache-control', 'no-cache').send({ auth_url: authUrl, base_url: baseUrl }),
  )
  const icon = readFileSync(join(dirname(page), 'icon.svg'))
  app.get(`${prefix}icon.svg`, async (_, reply) => reply.type('image/svg+xml').send(icon))
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    if (isOtherLoopback(request.hostname, authUrl)) return reply.redirect(`${authUrl}${request.url}`, 302)
    const nonce = randomBytes(16).toString('base64')
    return reply
      .headers(headersFor(nonce, baseUrl))
      .type('text/html; charset=utf-8')
      .send((await readPageAgain(template)).replace('{baseUrl}', baseUrl).replaceAll('{nonce}', nonce))
  }
  app.get('/console', async (_, reply) => reply.redirect(prefix, 308))
  app.get(`${prefix}*`, answer)
}

/** Whether a page is requested by another name of this machine, such as 127.0.0.1 for localhost: its sign-in would be refused. */
const isOtherLoopback = (host: string, authUrl: string): boolean => {
  const ownName = new URL(authUrl).hostname
  return host !== ownName && isLoopback(host) && isLoopback(ownName)
}

/** Pages with scripts for their search and colors, without inline parts (docs/.vitepress/strict-csp.ts). */
const docsHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
}

const readPage = (): string => {
  try {
    return readFileSync(page, 'utf8')
  } catch (cause) {
    throw new Error('the console is not built; `npm ci` builds it', { cause })
  }
}

/** The files may be replaced while the server runs: then the page must name the new ones. While they are being replaced, it is the `earlier` page. */
const readPageAgain = (earlier: string): Promise<string> => readFile(page, 'utf8').catch(() => earlier)

/**
 * No inline script; style elements by nonce, for the components make some; calls to the two servers alone (OWASP ASVS 5.0, V3.4). Pictures in
 * documents come from any server by HTTPS, after the person asked for them (docs/console.md, Results as cards).
 */
const headersFor = (nonce: string, baseUrl: string): Record<string, string> => ({
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: https:",
    "font-src 'self'",
    `connect-src 'self' ${baseUrl}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
})
