/** Invitations into a workspace: a page for each state that the link and its reader may be in. */
import { field, form } from './form.ts'
import { html, type Markup } from './html.ts'
import type { Speech } from './language.ts'
import { currentPassword, type LoginFacts, loginAlert, statusOf } from './login-page.ts'
import { newPasswordField, type PasswordFault } from './new-password.ts'
import { type Page, renderPage } from './page.ts'
import { type WayOn, wayOn } from './way-on.ts'

export interface InvitationFacts {
  token: string
  /** Title of the workspace. */
  workspace: string
  /** Name of who invited; undefined: no longer known. */
  inviter: string | undefined
  /** The invited address. */
  email: string
}

/** A page of an open invitation: who invited whom into what. */
const openPage = (
  speech: Speech,
  { inviter, workspace }: InvitationFacts,
  { title, status, rest }: { title?: string; status?: number; rest: Markup },
): Page => {
  const { invitation } = speech.texts
  return renderPage(speech, {
    title: title ?? invitation.title(workspace),
    ...(status === undefined ? {} : { status }),
    main: html`<p>${invitation.text(inviter ?? invitation.someone, workspace)}</p>
${rest}`,
  })
}

const invitedAddress = ({ texts }: Speech, { email }: InvitationFacts) =>
  field({
    name: 'email',
    label: texts.email,
    type: 'email',
    autocomplete: 'username',
    value: email,
    readonly: true,
  })

export interface NewPersonFaults {
  name: 'missing' | undefined
  password: PasswordFault | undefined
}

/** For a person who has no account: name and password make one. */
export const newPersonPage = (
  speech: Speech,
  facts: InvitationFacts & { name: string | undefined; faults: NewPersonFaults },
): Page => {
  const { invitation } = speech.texts
  const { faults } = facts
  const isFaulty = faults.name !== undefined || faults.password !== undefined
  const onPassword = faults.name === undefined && faults.password !== undefined
  return openPage(speech, facts, {
    status: isFaulty ? 422 : 200,
    rest: form(
      facts.token,
      [
        invitedAddress(speech, facts),
        field({
          name: 'name',
          label: invitation.name,
          type: 'text',
          autocomplete: 'name',
          value: facts.name,
          fault: faults.name && invitation.nameMissing,
          focus: !onPassword,
        }),
        newPasswordField(speech, { fault: faults.password, focus: onPassword }),
      ],
      [{ text: invitation.join, action: 'register' }],
    ),
  })
}

/** For a person who has an account, and is not signed in. */
export const knownPersonPage = (
  speech: Speech,
  facts: InvitationFacts & Pick<LoginFacts, 'fault' | 'forgottenUrl' | 'canMail'>,
): Page => {
  const { invitation } = speech.texts
  const { fault, forgottenUrl } = facts
  return openPage(speech, facts, {
    status: statusOf(fault),
    rest: html`${loginAlert(speech, facts)}
${form(
  facts.token,
  [invitedAddress(speech, facts), currentPassword(speech, { fault, focus: true, forgottenUrl })],
  [{ text: invitation.signInAndJoin, action: 'sign-in' }],
)}`,
  })
}

/** For the invited person, signed in. */
export const joinPage = (speech: Speech, facts: InvitationFacts): Page => {
  const { invitation, signedInAs } = speech.texts
  return openPage(speech, facts, {
    rest: html`<p class="small quiet">${signedInAs(facts.email)}</p>
${form(facts.token, [], [{ text: invitation.join, action: 'join' }])}`,
  })
}

/** For somebody else, signed in. */
export const otherPersonPage = (speech: Speech, facts: InvitationFacts & { signedInAs: string }): Page => {
  const { invitation, signedInAs } = speech.texts
  return openPage(speech, facts, {
    title: invitation.otherTitle,
    status: 403,
    rest: html`<p>${invitation.other(facts.email)} ${signedInAs(facts.signedInAs)}</p>
${form(facts.token, [], [{ text: invitation.switchTo(facts.email), action: 'switch' }])}`,
  })
}

export const joinedPage = (
  speech: Speech,
  {
    workspace,
    email,
    isSignedIn,
    way,
  }: { workspace: string; email: string; isSignedIn: boolean; way: WayOn },
): Page => {
  const { invitation } = speech.texts
  return renderPage(speech, {
    title: invitation.joinedTitle(workspace),
    main: html`<p>${isSignedIn ? invitation.joinedSignedIn(email) : invitation.joined(email)}</p>
${wayOn(speech, way)}`,
  })
}

export const closedInvitationPage = (
  speech: Speech,
  { state, workspace, way }: { state: 'expired' | 'accepted' | 'withdrawn'; workspace: string; way: WayOn },
): Page => {
  const { title, text } = speech.texts.invitation.states[state]
  return renderPage(speech, {
    title,
    status: 410,
    main: html`<p>${text(workspace)}</p>
${state === 'accepted' && wayOn(speech, way)}`,
  })
}

export const unknownInvitationPage = (speech: Speech): Page => {
  const { invitation } = speech.texts
  return renderPage(speech, {
    title: invitation.unknownTitle,
    status: 404,
    main: html`<p>${invitation.unknown}</p>`,
  })
}
