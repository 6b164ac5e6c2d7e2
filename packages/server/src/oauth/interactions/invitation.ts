/** `/invitation/{token}`: becoming a member. The link is a secret; a person who reads it may be anybody. */
import { hashPassword } from '#http/password'
import { findPerson } from '#oauth/accounts'
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
import { loginFaults } from '#oauth/pages/login-page'
import { passwordFaultIn } from '#oauth/pages/new-password'
import { recordAudit } from '#storage/audit'
import type { Writer } from '#storage/db'
import { acceptInvitation, findInvitationByToken, type InvitationRow } from '#storage/invitations'
import {
  createUser,
  findUser,
  findUserByEmail,
  setEmailVerified,
  setLanguage,
  shownName,
  type UserRow,
} from '#storage/users'
import { findWorkspaceById } from '#storage/workspaces'
import { browserSession, endBrowserSession, startBrowserSession } from './browser-session.ts'
import { waitingOrConsole } from './came-from.ts'
import { faultOf } from './password.ts'
import { signInByForm } from './password-sign-in.ts'
import { type Answer, type Deps, type Handler, sendBack, typed, type Visit } from './visit.ts'

/** An open invitation, and who has to do with it. */
interface Invited {
  invitation: InvitationRow & { mailed: boolean }
  facts: InvitationFacts
  /** Signed in in this browser. */
  reader: UserRow | undefined
  /** The invited person's account. */
  account: UserRow | undefined
}

export const invitation: Handler = async (deps, visit, link) => {
  const { db } = deps.storage
  const { speech, token, fields } = visit
  const found = await findInvitationByToken(db, link)
  const workspace = found && (await findWorkspaceById(db, found.workspaceId))?.title
  if (!found || workspace === undefined) return { page: unknownInvitationPage(speech) }
  if (found.state !== 'open')
    return {
      page: closedInvitationPage(speech, { state: found.state, workspace, way: await wayFrom(deps, visit) }),
    }

  const session = await browserSession(deps, visit)
  const reader = session?.accountId && (await findPerson(deps.directory, session.accountId))
  const inviter = await findUser(db, found.invitedBy)
  const invited: Invited = {
    invitation: found,
    facts: { token, workspace, inviter: inviter && shownName(inviter), email: found.email },
    reader: reader || undefined,
    account: await findUserByEmail(db, found.email),
  }
  switch (fields && (fields.get('action') || mainAction(invited))) {
    case 'switch':
      await endBrowserSession(deps, visit)
      return { seeOther: visit.pathname }
    case 'join':
      if (invited.reader?.email !== found.email) break
      return joined(deps, visit, invited, invited.reader)
    case 'sign-in':
      return signInAndJoin(deps, visit, invited, fields?.get('password') ?? '')
    case 'register':
      return register(deps, visit, invited)
  }
  return fields ? sendBack(deps, visit) : { page: show(deps, visit, invited) }
}

/** Of the page that is shown now: what a form means that was sent without its button. */
const mainAction = ({ facts, reader, account }: Invited): string => {
  if (reader) return reader.email === facts.email ? 'join' : 'switch'
  return account ? 'sign-in' : 'register'
}

const forgottenUrl = '/password/forgot'

const show = ({ notes, mail }: Deps, visit: Visit, { facts, reader, account }: Invited) => {
  const { speech } = visit
  if (reader?.email === facts.email) return joinPage(speech, facts)
  if (reader) return otherPersonPage(speech, { ...facts, signedInAs: reader.email })
  const { fault, name, nameFault, passwordFault } = notes.read(visit)
  if (account)
    return knownPersonPage(speech, {
      ...facts,
      fault: loginFaults.find(known => known === fault),
      forgottenUrl,
      canMail: mail.available,
    })
  return newPersonPage(speech, {
    ...facts,
    name,
    faults: {
      name: nameFault === 'missing' ? 'missing' : undefined,
      password: passwordFaultIn(passwordFault),
    },
  })
}

/** 303 to what became of it; when it ended in the meantime, to the page that says how. */
const joined = async (
  deps: Deps,
  visit: Visit,
  { invitation }: Invited,
  person: UserRow,
): Promise<Answer> => {
  const isAccepted = await deps.storage.write(writer => accept(writer, visit, invitation, person))
  return { seeOther: isAccepted ? `${visit.pathname}/joined` : visit.pathname }
}

const accept = async (
  writer: Writer,
  { address, requestId, speech: { language } }: Visit,
  { id, workspaceId, email, mailed }: Invited['invitation'],
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
    address,
    requestId,
  })
  return true
}

const signInAndJoin = async (
  deps: Deps,
  visit: Visit,
  invited: Invited,
  password: string,
): Promise<Answer> => {
  const person = await signInByForm(deps, visit, { email: invited.facts.email, password })
  if (typeof person === 'string') return sendBack(deps, visit, { fault: person })
  await startBrowserSession(deps, visit, person.id)
  return joined(deps, visit, invited, person)
}

/** Makes the account and the membership together. An account that is there already is not touched: its owner signs in. */
const register = async (deps: Deps, visit: Visit, invited: Invited): Promise<Answer> => {
  const { fields = new Map(), request, response } = visit
  const { facts, invitation, reader, account } = invited
  if (account || reader) return sendBack(deps, visit)
  const name = typed(fields, 'name').slice(0, nameCharactersMax)
  const password = fields.get('password') ?? ''
  const passwordFault = await faultOf(password, { email: facts.email, name })
  if (name === '' || passwordFault)
    return sendBack(deps, visit, {
      name,
      ...(name === '' ? { nameFault: 'missing' } : {}),
      ...(passwordFault ? { passwordFault } : {}),
    })

  const passwordHash = await hashPassword(password)
  const person = await deps.storage
    .write(async writer => {
      const made = await createUser(writer, { email: facts.email, name, passwordHash })
      if (!made) return undefined
      if (await accept(writer, visit, invitation, made)) return made
      // Not half of it: an account by an invitation that was withdrawn at this moment.
      throw new InvitationEnded()
    })
    .catch((error: unknown) => {
      if (error instanceof InvitationEnded) return undefined
      throw error
    })
  if (!person) return { seeOther: visit.pathname }
  deps.devices.remember(request, response, { id: person.id, password_hash: passwordHash })
  await startBrowserSession(deps, visit, person.id)
  return { seeOther: `${visit.pathname}/joined` }
}

class InvitationEnded extends Error {}

const nameCharactersMax = 100

/** `/invitation/{token}/joined`. */
export const invitationJoined: Handler = async (deps, visit, link) => {
  const { db } = deps.storage
  const { speech } = visit
  const found = await findInvitationByToken(db, link)
  const workspace = found && (await findWorkspaceById(db, found.workspaceId))?.title
  if (!found || workspace === undefined) return { page: unknownInvitationPage(speech) }
  if (found.state === 'open') return { seeOther: `/invitation/${link}` }
  const way = await wayFrom(deps, visit)
  if (found.state !== 'accepted')
    return { page: closedInvitationPage(speech, { state: found.state, workspace, way }) }
  const session = await browserSession(deps, visit)
  const reader = session && (await findPerson(deps.directory, session.accountId))
  const isSignedIn = reader?.email === found.email
  return { page: joinedPage(speech, { workspace, email: found.email, isSignedIn, way }) }
}

/** Whoever was no member went from an application to their mail. */
const wayFrom = ({ cookies, provider }: Deps, { request }: Visit) =>
  waitingOrConsole(cookies, request, provider())
