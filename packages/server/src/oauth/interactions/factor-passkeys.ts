/** `/factors/passkeys`: adding, renaming and removing passkeys. */

import { byTwoFactors, passkeyMethods } from '#oauth/library/authentication'
import { addPasskeyPage, passkeyFaults, passkeyPage } from '#oauth/pages/passkey-pages'
import { describeDevice } from '#oauth/sessions/session-device'
import {
  addPasskey as addPasskeyRow,
  findAuthenticatorApp,
  hasSecondFactor,
  listPasskeys,
  removePasskey,
  renamePasskey,
  replaceRecoveryCodes,
} from '#storage/second-factors'
import { raiseBrowserSession } from './browser-session.ts'
import { auditFactor, mailFactorChange } from './factor-notices.ts'
import { factorPaths } from './factor-paths.ts'
import { continueAfterChange, prepareFirstCodes, showCodes } from './factors.ts'
import { endOtherSessions } from './first-factor.ts'
import { requireSignIn, type SignedIn } from './fresh-sign-in.ts'
import {
  type Answer,
  type Handler,
  type PageDependencies,
  type PageRequest,
  readField,
  redirectBack,
} from './page-request.ts'

const nameCharactersMax = 60

/** `/factors/passkeys/add`. */
export const addPasskey: Handler = async (deps, pageRequest) => {
  const result = await requireSignIn(deps, pageRequest, { isFresh: true })
  if ('answer' in result) return result.answer
  const { signedIn } = result
  const { locale, token, fields, request, address } = pageRequest
  const { passkeys, flash, passkeyScriptUrl } = deps
  if (!passkeys.isAvailable) return { seeOther: factorPaths.overview }
  if (fields) return savePasskey(deps, pageRequest, signedIn, fields)
  const { fault } = flash.read(pageRequest)
  return {
    page: addPasskeyPage(locale, {
      token,
      email: signedIn.person.email,
      name: describeDevice(request, address).system ?? locale.texts.factors.passkeyPage.defaultName,
      isFirst: !(await hasSecondFactor(deps.storage.db, signedIn.person.id)),
      options: await passkeys.creationOptions(pageRequest, signedIn.person),
      fault: passkeyFaults.find(kind => kind === fault),
      scriptUrl: passkeyScriptUrl,
      cancelUrl: factorPaths.overview,
    }),
  }
}

const readName = (pageRequest: PageRequest, fields: ReadonlyMap<string, string>): string =>
  readField(fields, 'name').slice(0, nameCharactersMax) ||
  pageRequest.locale.texts.factors.passkeyPage.defaultName

const savePasskey = async (
  deps: PageDependencies,
  pageRequest: PageRequest,
  signedIn: SignedIn,
  fields: ReadonlyMap<string, string>,
): Promise<Answer> => {
  const { person, session } = signedIn
  const passkey = await deps.passkeys.verifyNew(pageRequest, fields.get('passkey') ?? '')
  if (!passkey) return redirectBack(deps, pageRequest, { fault: 'refused' })
  const name = readName(pageRequest, fields)
  const first = await prepareFirstCodes(deps, signedIn)
  const isAdded = await deps.storage.write(async writer => {
    const isFirst = !(await hasSecondFactor(writer.db, person.id))
    if (!(await addPasskeyRow(writer, { ...passkey, user_id: person.id, name }))) return false
    if (isFirst) await endOtherSessions(writer, pageRequest, signedIn)
    if (first) await replaceRecoveryCodes(writer, person.id, first)
    await auditFactor(writer, pageRequest, person, 'passkey-added', { name })
    return true
  })
  if (!isAdded) return redirectBack(deps, pageRequest, { fault: 'tooMany' })
  await raiseBrowserSession(deps, pageRequest, byTwoFactors(passkeyMethods(passkey), session.login.amr))
  mailFactorChange(deps, pageRequest, person, 'passkey-added')
  return first
    ? showCodes(deps, pageRequest, signedIn, first.codes)
    : continueAfterChange(deps, pageRequest, 'passkey-added')
}

/** `/factors/passkeys/{id}`: renames or removes one of the person's own. */
export const changePasskey: Handler = async (deps, pageRequest, id) => {
  const result = await requireSignIn(deps, pageRequest, { isFresh: true })
  if ('answer' in result) return result.answer
  const { person } = result.signedIn
  const { locale, token, fields } = pageRequest
  const { db } = deps.storage
  const passkeys = await listPasskeys(db, person.id)
  const passkey = passkeys.find(row => row.id === id)
  if (!passkey) return { seeOther: factorPaths.overview }
  switch (fields?.get('action')) {
    case 'rename': {
      const name = readName(pageRequest, fields)
      await deps.storage.write(async writer => {
        await renamePasskey(writer, { userId: person.id, id, name })
        await auditFactor(writer, pageRequest, person, 'passkey-renamed', {
          name,
          before: { name: passkey.name },
        })
      })
      mailFactorChange(deps, pageRequest, person, 'passkey-renamed')
      return continueAfterChange(deps, pageRequest, 'passkey-renamed')
    }
    case 'remove':
      await deps.storage.write(async writer => {
        await removePasskey(writer, person.id, id)
        await auditFactor(writer, pageRequest, person, 'passkey-removed', { name: passkey.name })
      })
      mailFactorChange(deps, pageRequest, person, 'passkey-removed')
      return continueAfterChange(deps, pageRequest, 'passkey-removed')
  }
  if (fields) return redirectBack(deps, pageRequest)
  const isLast = passkeys.length === 1 && !(await findAuthenticatorApp(db, person.id))
  return {
    page: passkeyPage(locale, {
      token,
      email: person.email,
      name: passkey.name,
      isLast,
      cancelUrl: factorPaths.overview,
    }),
  }
}
