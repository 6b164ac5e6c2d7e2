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
import type { Keyring } from '#keys/keyring'
import { createRecordEncryption } from '#oauth/provider/record-encryption'
import { logoutAliases } from '#oauth/sessions/logout'
import type { StartedSignIns } from '#oauth/sessions/started-sign-ins'
import type { Storage } from '#storage/db'
import { consumeRecord, findRecord, saveRecord } from '#storage/oidc-records'
import { refuseLongParameters } from './parameter-sizes.ts'

/** What is served as a URL (query-service.md, Paths): a form may ask no more than a link. */
const formBytesMax = 16 * 1024
/** A browser follows a redirect at once. */
const storedFormMs = 60 * 1000
const model = 'Form'
/** The only parameter of the GET. */
const formParameter = 'form'

export interface StoredForms {
  /** Keeps what the form asks. Returns where to ask for it by GET. Throws `invalid_request` for a body that is no form, or too long. */
  save(request: IncomingMessage, pathname: string): Promise<string>
  /** The query that counts: what a form asked, or else `search` itself. Throws `invalid_request` when the form was asked for already. */
  readQuery(search: string): Promise<string>
}

export const openStoredForms = (
  { db }: Storage,
  keyring: Pick<Keyring, 'derive'>,
  startedSignIns: Pick<StartedSignIns, 'record' | 'forget'>,
): StoredForms => {
  const encryption = createRecordEncryption(keyring)
  return {
    async save(request, pathname) {
      const fields = new URLSearchParams(await readForm(request))
      refuseLongParameters(fields)
      const form = `?${fields}`
      const { search, ...target } = resolveLogoutAlias(pathname, form) ?? { pathname, search: form }
      const id = randomBytes(32).toString('base64url')
      const payload = { sealed: await encryption.encrypt(id, { search }) }
      await startedSignIns.record(request, model, id)
      await saveRecord(db, { model, id, payload, expiresAt: Date.now() + storedFormMs })
      return `${target.pathname}?${formParameter}=${id}`
    },
    async readQuery(search) {
      const id = new URLSearchParams(search).get(formParameter)
      if (id === null) return search
      const record = await findRecord(db, model, { id })
      startedSignIns.forget(model, id)
      const isFirst = record !== undefined && (await consumeRecord(db, model, id))
      const payload =
        isFirst && typeof record.sealed === 'string' ? await encryption.decrypt(id, record.sealed) : undefined
      if (typeof payload?.search === 'string') return payload.search
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
export const resolveLogoutAlias = (
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
