/** `/invitation/{token}`: accepting an invitation. The link is a secret, but its reader may be anybody. */
import { hashPassword } from '#accounts/password-hash'
import { type Authentication, byPassword } from '#oauth/library/authentication'
import {
  closedInvitationPage,
  type InvitationFacts,
  joinedPage,
  joinPage,
  knownPersonPage,
  newPersonPage,
  otherPersonPage,
  unknownInvitationPage,
} from '#oauth/pages/invitation-pages'
import { withBrand } from '#oauth/pages/language'
import { loginFaults } from '#oauth/pages/login-page'
import { parsePasswordFault } from '#oauth/pages/new-password'
import { findPerson } from '#oauth/sessions/accounts'
import { recordAudit } from '#storage/audit'
import type { Db, Writer } from '#storage/db'
import { acceptInvitation, findInvitationByToken, type InvitationRow } from '#storage/invitations'
import { mayInvite } from '#storage/inviter-rights'
import {
  createUser,
  displayName,
  findUser,
  findUserByEmail,
  setEmailVerified,
  setLanguage,
  type UserRow,
} from '#storage/users'
import { findWorkspaceById } from '#storage/workspaces'
import { browserSession, endBrowserSession, startBrowserSession } from './browser-session.ts'
import {
  type Answer,
  type Handler,
  type PageDependencies,
  type PageRequest,
  readField,
  redirectBack,
} from './page-request.ts'
import { findPasswordFault } from './password.ts'
import { signInByForm } from './password-sign-in.ts'
import { findPendingSignInOrConsole } from './return-to.ts'
import { completeSignIn, showSecondFactor } from './second-factor.ts'
import { recordSignIn, type SignInTarget } from './sign-in-record.ts'

/** An open invitation and the people involved. */
interface OpenInvitation {
  invitation: InvitationRow & { mailed: boolean }
  facts: InvitationFacts
  /** Person signed in in this browser. */
  reader: UserRow | undefined
  /** Account of the invited person. */
  account: UserRow | undefined
}

export const invitation: Handler = async (deps, pageRequest, link) => {
  const { db } = deps.storage
  const { token, fields } = pageRequest
  const invitationRow = await findInvitationByToken(db, link)
  const workspaceRow = invitationRow && (await findWorkspaceById(db, invitationRow.workspaceId))
  const workspace = workspaceRow?.title
  const locale = withBrand(pageRequest.locale, workspaceRow)
  if (!invitationRow || workspace === undefined) return { page: unknownInvitationPage(locale) }
  const state = await readState(db, invitationRow)
  if (state !== 'open')
    return {
      page: closedInvitationPage(locale, {
        state,
        workspace,
        way: await findMailNextLink(deps, pageRequest),
      }),
    }

  const session = await browserSession(deps, pageRequest)
  // A workspace's own OpenID provider does not speak for the person in other workspaces.
  const isOfProvider = session?.login.providerSignIn !== undefined
  const reader = session && !isOfProvider && (await findPerson(deps.directory, session.accountId))
  const inviter = await findUser(db, invitationRow.invitedBy)
  const openInvitation: OpenInvitation = {
    invitation: invitationRow,
    facts: { token, workspace, inviter: inviter && displayName(inviter), email: invitationRow.email },
    reader: reader || undefined,
    account: await findUserByEmail(db, invitationRow.email),
  }
  const pending = await findPendingAccount(deps, pageRequest, openInvitation)
  if (pending && fields && (fields.has('code') || fields.get('passkey')))
    return confirmAndJoin(deps, pageRequest, openInvitation, pending)
  if (pending && !fields) {
    const options = { isUpgrade: false, mayCancel: false }
    return { page: await showSecondFactor(deps, pageRequest, pending, options) }
  }
  switch (fields && (fields.get('action') || mainAction(openInvitation))) {
    case 'switch':
      await endBrowserSession(deps, pageRequest)
      return { seeOther: pageRequest.pathname }
    case 'join':
      if (openInvitation.reader?.email !== invitationRow.email) break
      return joinWorkspace(deps, pageRequest, openInvitation, openInvitation.reader)
    case 'sign-in':
      return signInAndJoin(deps, pageRequest, openInvitation, fields?.get('password') ?? '')
    case 'register':
      return register(deps, pageRequest, link, openInvitation)
  }
  return fields
    ? redirectBack(deps, pageRequest)
    : { page: showPage(deps, { ...pageRequest, locale }, openInvitation) }
}

/** An invitation ends with its inviter's right to invite. */
const readState = async (
  db: Db,
  { state, workspaceId, invitedBy }: InvitationRow,
): Promise<InvitationRow['state'] | 'inviterLeft'> => {
  if (state !== 'open' && state !== 'withdrawn') return state
  return (await mayInvite(db, workspaceId, invitedBy)) ? state : 'inviterLeft'
}

/** Returns the default action of the current page, for a form sent without its button. */
const mainAction = ({ facts, reader, account }: OpenInvitation): string => {
  if (reader) return reader.email === facts.email ? 'join' : 'switch'
  return account ? 'sign-in' : 'register'
}

const forgottenUrl = '/password/forgot'

const showPage = (
  { flash, mail, passwordLengthMin }: PageDependencies,
  pageRequest: PageRequest,
  { facts, reader, account }: OpenInvitation,
) => {
  const { locale } = pageRequest
  if (reader?.email === facts.email) return joinPage(locale, facts)
  if (reader) return otherPersonPage(locale, { ...facts, signedInAs: reader.email })
  const { fault, name, nameFault, passwordFault } = flash.read(pageRequest)
  if (account)
    return knownPersonPage(locale, {
      ...facts,
      fault: loginFaults.find(recipient => recipient === fault),
      forgottenUrl,
      canMail: mail.isAvailable,
    })
  return newPersonPage(locale, {
    ...facts,
    name,
    faults: {
      name: nameFault === 'missing' ? 'missing' : undefined,
      password: parsePasswordFault(passwordFault),
    },
    lengthMin: passwordLengthMin,
  })
}

/** Redirects (303) to the outcome; if the invitation has ended meanwhile, to the page that says how. */
const joinWorkspace = async (
  deps: PageDependencies,
  pageRequest: PageRequest,
  { invitation }: OpenInvitation,
  person: UserRow,
): Promise<Answer> => {
  const isAccepted = await deps.storage.write(writer => accept(writer, pageRequest, invitation, person))
  return { seeOther: isAccepted ? `${pageRequest.pathname}/joined` : pageRequest.pathname }
}

const accept = async (
  writer: Writer,
  { address, requestId, locale: { language } }: PageRequest,
  { id, workspaceId, email, mailed, invitedBy }: OpenInvitation['invitation'],
  person: UserRow,
): Promise<boolean> => {
  if (!(await acceptInvitation(writer, id, person.id))) return false
  if (mailed) await setEmailVerified(writer, person.id)
  await setLanguage(writer, person.id, language)
  await recordAudit(writer, {
    workspaceId,
    actor: person.id,
    action: 'acceptInvitation',
    target: email,
    detail: { invitedBy: (await findUser(writer.db, invitedBy))?.email ?? invitedBy },
    address,
    requestId,
  })
  return true
}

const signInAndJoin = async (
  deps: PageDependencies,
  pageRequest: PageRequest,
  openInvitation: OpenInvitation,
  password: string,
): Promise<Answer> => {
  const signIn = await signInByForm(
    deps,
    pageRequest,
    { email: openInvitation.facts.email, password },
    readTarget(openInvitation),
  )
  if (typeof signIn === 'string') return redirectBack(deps, pageRequest, { fault: signIn })
  if (signIn.isPending) return { seeOther: pageRequest.pathname }
  return startSessionAndJoin(deps, pageRequest, openInvitation, signIn.person, byPassword)
}

const readTarget = ({ invitation: { workspaceId } }: OpenInvitation): SignInTarget => ({ workspaceId })

const startSessionAndJoin = async (
  deps: PageDependencies,
  pageRequest: PageRequest,
  openInvitation: OpenInvitation,
  person: UserRow,
  authentication: Authentication,
): Promise<Answer> => {
  await startBrowserSession(deps, pageRequest, person.id, authentication)
  return joinWorkspace(deps, pageRequest, openInvitation, person)
}

/** The invited person, whose password is right and who has a second factor. */
const findPendingAccount = async (
  { pendingSignIns }: PageDependencies,
  { request, pathname, query }: PageRequest,
  { account, reader }: OpenInvitation,
): Promise<UserRow | undefined> => {
  if (!account || reader || query.get('account') === 'other') return undefined
  const person = await pendingSignIns.find(request, pathname)
  return person?.id === account.id ? person : undefined
}

const confirmAndJoin = async (
  deps: PageDependencies,
  pageRequest: PageRequest,
  openInvitation: OpenInvitation,
  person: UserRow,
): Promise<Answer> => {
  const authentication = await completeSignIn(
    deps,
    pageRequest,
    { person, amr: byPassword.amr },
    readTarget(openInvitation),
  )
  if (typeof authentication === 'string') return redirectBack(deps, pageRequest, { fault: authentication })
  return startSessionAndJoin(deps, pageRequest, openInvitation, person, authentication)
}

/** Creates account and membership together. An existing account is not changed; its owner must sign in. */
const register = async (
  deps: PageDependencies,
  pageRequest: PageRequest,
  link: string,
  openInvitation: OpenInvitation,
): Promise<Answer> => {
  const { fields = new Map(), request, response } = pageRequest
  const { facts, invitation, reader, account } = openInvitation
  if (account || reader) return redirectBack(deps, pageRequest)
  const name = readField(fields, 'name').slice(0, nameCharactersMax)
  const password = fields.get('password') ?? ''
  const person = { email: facts.email, name }
  const passwordFault = await findPasswordFault(deps, pageRequest, { link, password, person })
  if (name === '' || passwordFault)
    return redirectBack(deps, pageRequest, {
      name,
      ...(name === '' ? { nameFault: 'missing' } : {}),
      ...(passwordFault ? { passwordFault } : {}),
    })

  const passwordHash = await hashPassword(password)
  const joiner = await deps.storage
    .write(async writer => {
      const user = await createUser(writer, { email: facts.email, name, passwordHash })
      if (!user) return undefined
      if (await accept(writer, pageRequest, invitation, user)) return user
      // All or nothing: no account without the membership if the invitation is withdrawn at this moment.
      throw new InvitationEnded()
    })
    .catch((error: unknown) => {
      if (error instanceof InvitationEnded) return undefined
      throw error
    })
  if (!joiner) return { seeOther: pageRequest.pathname }
  deps.devices.remember(request, response, { id: joiner.id, password_hash: passwordHash })
  await startBrowserSession(deps, pageRequest, joiner.id, byPassword)
  recordSignIn(deps, pageRequest, {
    ...readTarget(openInvitation),
    kind: 'sign-in',
    result: 'ok',
    method: 'password',
    userId: joiner.id,
  })
  return { seeOther: `${pageRequest.pathname}/joined` }
}

class InvitationEnded extends Error {}

const nameCharactersMax = 100

/** `/invitation/{token}/joined`. */
export const invitationJoined: Handler = async (deps, pageRequest, link) => {
  const { db } = deps.storage
  const invitationRow = await findInvitationByToken(db, link)
  const workspaceRow = invitationRow && (await findWorkspaceById(db, invitationRow.workspaceId))
  const workspace = workspaceRow?.title
  const locale = withBrand(pageRequest.locale, workspaceRow)
  if (!invitationRow || workspace === undefined) return { page: unknownInvitationPage(locale) }
  if (invitationRow.state === 'open') return { seeOther: `/invitation/${link}` }
  const way = await findMailNextLink(deps, pageRequest)
  if (invitationRow.state !== 'accepted')
    return { page: closedInvitationPage(locale, { state: invitationRow.state, workspace, way }) }
  const session = await browserSession(deps, pageRequest)
  const reader = session && (await findPerson(deps.directory, session.accountId))
  const isSignedIn = reader?.email === invitationRow.email
  return { page: joinedPage(locale, { workspace, email: invitationRow.email, isSignedIn, way }) }
}

/** People who were not members went from an application to their mail. */
const findMailNextLink = ({ cookies, provider }: PageDependencies, { request }: PageRequest) =>
  findPendingSignInOrConsole(cookies, request, provider())
