/**
 * Turns authorization and logout requests sent as forms (OpenID Connect Core, section 3.1.2.1; RP-Initiated
 * Logout, section 2), and other servers' logout paths, into a GET to the library's path.
 * A browser sends no `SameSite=Lax` cookies with a cross-site form, but does with the GET it is redirected
 * to. The library would need cookies with `SameSite=None`. The fields are stored encrypted meanwhile. The GET
 * has only a one-time reference, because ID tokens and login hints must not appear in logs and browser
 * histories (RFC 9700, section 4.3).
 */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { errors } from 'oidc-provider'
import type { Keyring } from '#keys/keyring'
import { createRecordEncryption } from '#keys/record-encryption'
import { logoutAliases } from '#oauth/library/routes'
import type { Storage } from '#storage/db'
import { consumeRecord, findRecord, saveRecord } from '#storage/oidc-records'
import { refuseLongParameters } from './parameter-sizes.ts'
import type { StartedSignIns } from './started-sign-ins.ts'

/** Limit of a URL: a form may not ask more than a link. */
const formBytesMax = 16 * 1024
/** A browser follows a redirect at once. */
const storedFormMs = 60 * 1000
const model = 'Form'
/** The only parameter of the GET. */
const formParameter = 'form'

export interface StoredForms {
  /**
   * Stores the form and returns the URL for the GET. Throws `invalid_request` if the body is not a form or
   * too long.
   */
  save(request: IncomingMessage, pathname: string): Promise<string>
  /**
   * Returns the stored query of a form, or `search` itself. Throws `invalid_request` if the form was used
   * already.
   */
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

/** Maps another server's logout path to the library's, with renamed parameters. */
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
