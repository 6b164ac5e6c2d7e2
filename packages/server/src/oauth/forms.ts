/**
 * Authorization and logout requests that come as a form (OpenID Connect Core, section 3.1.2.1; RP-Initiated Logout, section 2), and
 * logout by other servers' addresses: each becomes a GET to the library's address.
 *
 * The form comes from another site, so the browser sends no cookie along that is `SameSite=Lax`; with the GET that it is sent on to, it
 * does. The library takes forms only with cookies of `SameSite=None`. What the form says stays here meanwhile, encrypted; the GET has
 * but a reference that works once: an ID token or a login hint would stay in logs and in the browser's history (RFC 9700, section 4.3).
 */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { errors } from 'oidc-provider'
import type { Keyring } from '#http/keyring'
import type { Storage } from '#storage/db'
import { consumeRecord, findRecord, saveRecord } from '#storage/oidc-records'
import { logoutAliases } from './logout.ts'
import { recordSeal } from './sealed.ts'

/** What is served as a URL (query-service.md, Paths): a form may ask no more than a link. */
const formBytesMax = 16 * 1024
/** A browser follows a redirect at once. */
const keptMs = 60 * 1000
const model = 'Form'
/** The only parameter of the GET. */
const parameter = 'form'

export interface Forms {
  /** Keeps what the form asks. Returns where to ask for it by GET. Throws `invalid_request` for a body that is no form, or too long. */
  keep(request: IncomingMessage, pathname: string): Promise<string>
  /** The query that counts: what a form asked, or else `search` itself. Throws `invalid_request` when the form was asked for already. */
  queryOf(search: string): Promise<string>
}

export const openForms = ({ db }: Storage, keyring: Pick<Keyring, 'derive'>): Forms => {
  const seal = recordSeal(keyring)
  return {
    async keep(request, pathname) {
      const form = `?${new URLSearchParams(await readForm(request))}`
      const { search, ...asked } = ownLogoutAddress(pathname, form) ?? { pathname, search: form }
      const id = randomBytes(32).toString('base64url')
      const payload = { sealed: await seal.close(id, { search }) }
      await saveRecord(db, { model, id, payload, expiresAt: Date.now() + keptMs })
      return `${asked.pathname}?${parameter}=${id}`
    },
    async queryOf(search) {
      const id = new URLSearchParams(search).get(parameter)
      if (id === null) return search
      const found = await findRecord(db, model, { id })
      const isFirst = found !== undefined && (await consumeRecord(db, model, id))
      const kept = isFirst && typeof found.sealed === 'string' ? await seal.open(id, found.sealed) : undefined
      if (typeof kept?.search === 'string') return kept.search
      throw new errors.InvalidRequest(
        'this address worked once, right after the form that led here: go back to the application and start again',
      )
    },
  }
}

const readForm = async (request: IncomingMessage): Promise<string> => {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded')
    throw new errors.InvalidRequest(
      'send the parameters in the query, or as a form (application/x-www-form-urlencoded)',
    )
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > formBytesMax) throw new errors.InvalidRequest('the form is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The library's address of another server's address of logout, with its parameters renamed. */
export const ownLogoutAddress = (
  pathname: string,
  search: string,
): { pathname: string; search: string } | undefined => {
  const path = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
  const renamed = logoutAliases.get(path)
  if (!renamed) return undefined
  const query = new URLSearchParams()
  for (const [name, value] of new URLSearchParams(search)) query.append(renamed[name] ?? name, value)
  return { pathname: '/logout', search: query.size > 0 ? `?${query}` : '' }
}
