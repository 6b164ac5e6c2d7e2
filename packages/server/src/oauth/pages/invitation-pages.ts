/** Pages of invitations, for each state of the link and its reader. */
import { field, form } from './form.ts'
import { html, type Markup } from './html.ts'
import type { Locale } from './language.ts'
import { currentPassword, type LoginFacts, loginAlert, loginFaultStatus } from './login-page.ts'
import { newPasswordField, type PasswordFault, passwordFaultStatus } from './new-password.ts'
import { type NextLink, renderNextLink } from './next-link.ts'
import { type Page, renderPage } from './page.ts'

export interface InvitationFacts {
  token: string
  /** Title of the workspace. */
  workspace: string
  /** Name of the inviter, if still known. */
  inviter: string | undefined
  /** The invited address. */
  email: string
}

/** Renders a page of an open invitation: who invited the reader to which workspace. */
const renderInvitation = (
  locale: Locale,
  { inviter, workspace }: InvitationFacts,
  { title, status, rest }: { title?: string; status?: number; rest: Markup },
): Page => {
  const { invitation } = locale.texts
  return renderPage(locale, {
    title: title ?? invitation.title({ workspace }),
    ...(status === undefined ? {} : { status }),
    main: html`<p>${invitation.text({ inviter: inviter ?? invitation.someone, workspace })}</p>
${rest}`,
  })
}

const invitedAddress = ({ texts }: Locale, { email }: InvitationFacts) =>
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

/** For people without an account, who choose name and password. */
export const newPersonPage = (
  locale: Locale,
  facts: InvitationFacts & { name: string | undefined; faults: NewPersonFaults; lengthMin: number },
): Page => {
  const { invitation } = locale.texts
  const { faults, lengthMin } = facts
  const isFaulty = faults.name !== undefined || faults.password !== undefined
  const onPassword = faults.name === undefined && faults.password !== undefined
  return renderInvitation(locale, facts, {
    status: isFaulty ? passwordFaultStatus(faults.password) : 200,
    rest: form(
      facts.token,
      [
        invitedAddress(locale, facts),
        field({
          name: 'name',
          label: invitation.name,
          type: 'text',
          autocomplete: 'name',
          value: facts.name,
          fault: faults.name && invitation.nameMissing,
          focus: !onPassword,
        }),
        newPasswordField(locale, { fault: faults.password, focus: onPassword, lengthMin }),
      ],
      [{ text: invitation.join, action: 'register' }],
    ),
  })
}

/** For people with an account who are not signed in. */
export const knownPersonPage = (
  locale: Locale,
  facts: InvitationFacts & Pick<LoginFacts, 'fault' | 'forgottenUrl' | 'canMail'>,
): Page => {
  const { invitation } = locale.texts
  const { fault, forgottenUrl } = facts
  return renderInvitation(locale, facts, {
    status: loginFaultStatus(fault),
    rest: html`${loginAlert(locale, facts)}
${form(
  facts.token,
  [invitedAddress(locale, facts), currentPassword(locale, { fault, focus: true, forgottenUrl })],
  [{ text: invitation.signInAndJoin, action: 'sign-in' }],
)}`,
  })
}

/** For the invited person, signed in. */
export const joinPage = (locale: Locale, facts: InvitationFacts): Page => {
  const { invitation, signedInAs } = locale.texts
  return renderInvitation(locale, facts, {
    rest: html`<p class="small quiet">${signedInAs({ email: facts.email })}</p>
${form(facts.token, [], [{ text: invitation.join, action: 'join' }])}`,
  })
}

/** For another signed-in person. */
export const otherPersonPage = (locale: Locale, facts: InvitationFacts & { signedInAs: string }): Page => {
  const { invitation, signedInAs } = locale.texts
  return renderInvitation(locale, facts, {
    title: invitation.otherTitle,
    status: 403,
    rest: html`<p>${invitation.other({ invited: facts.email })} ${signedInAs({ email: facts.signedInAs })}</p>
${form(facts.token, [], [{ text: invitation.switchTo({ invited: facts.email }), action: 'switch' }])}`,
  })
}

export const joinedPage = (
  locale: Locale,
  {
    workspace,
    email,
    isSignedIn,
    way,
  }: { workspace: string; email: string; isSignedIn: boolean; way: NextLink },
): Page => {
  const { invitation } = locale.texts
  return renderPage(locale, {
    title: invitation.joinedTitle({ workspace }),
    main: html`<p>${isSignedIn ? invitation.joinedSignedIn({ email }) : invitation.joined({ email })}</p>
${renderNextLink(locale, way)}`,
  })
}

export const closedInvitationPage = (
  locale: Locale,
  {
    state,
    workspace,
    way,
  }: { state: 'expired' | 'accepted' | 'withdrawn' | 'inviterLeft'; workspace: string; way: NextLink },
): Page => {
  const { title, text } = locale.texts.invitation.states[state]
  return renderPage(locale, {
    title,
    status: 410,
    main: html`<p>${text({ workspace })}</p>
${state === 'accepted' && renderNextLink(locale, way)}`,
  })
}

export const unknownInvitationPage = (locale: Locale): Page => {
  const { invitation } = locale.texts
  return renderPage(locale, {
    title: invitation.unknownTitle,
    status: 404,
    main: html`<p>${invitation.unknown}</p>`,
  })
}
