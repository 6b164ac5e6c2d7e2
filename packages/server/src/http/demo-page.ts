/** Serves the search page of `querent demo`. Its requests go to a public API, so it has no token and no secret. */
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import staticFiles from '@fastify/static'
import type { FastifyInstance } from 'fastify'

/** Paths of the contract start with its version or with `.well-known`. */
export const demoPagePath = '/demo/'
const page = fileURLToPath(import.meta.resolve('@querent/console/dist/demo/index.html'))

/** Handles `GET /demo/…`. */
export const registerDemoPage = async (app: FastifyInstance): Promise<void> => {
  await app.register(staticFiles, {
    root: dirname(page),
    prefix: demoPagePath,
    preCompressed: true,
    decorateReply: false,
    setHeaders: reply => {
      for (const [name, value] of Object.entries(headers)) reply.header(name, value)
    },
  })
  app.get('/demo', async (_, reply) => reply.redirect(demoPagePath, 308))
}

/** No inline parts, and calls to this origin alone (OWASP ASVS 5.0, V3.4). */
const headers: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
}
