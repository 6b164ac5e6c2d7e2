/** For tests: every form of our pages. */
import { twoFactorLevel } from '@querent/contract/authentication-levels'
import { createInvitation } from '#storage/invitations'
import { createOneTimeLink } from '#storage/one-time-links'
import { goodPassword, type Pages, type ShownPage } from './test-pages.ts'

type Reader = ReturnType<Pages['openReader']>

/** Every page with a form: how to come to it, and what sends it. */
export const makeForms = (
  pages: () => Pages,
): Record<string, () => Promise<{ page: ShownPage; reader: Reader; fields: Record<string, string> }>> => ({
  login: async () => {
    const reader = pages().openReader()
    const { email } = await pages().newPerson()
    const fields = { action: 'sign-in', email, password: goodPassword }
    return { reader, page: await reader.authorize(), fields }
  },
  consent: async () => {
    const reader = pages().openReader()
    const { email } = await pages().newPerson()
    return { reader, page: await reader.signIn(await reader.authorize(), email), fields: { action: 'allow' } }
  },
  'no member': async () => {
    const reader = pages().openReader()
    const { email } = await pages().newPerson({ isMember: false })
    return {
      reader,
      page: await reader.signIn(await reader.authorize(), email),
      fields: { action: 'cancel' },
    }
  },
  'second factor': async () => {
    const reader = pages().openReader()
    const person = await pages().newPerson()
    const code = await pages().giveApp(person)
    const page = await reader.signIn(await reader.authorize(), person.email)
    return { reader, page, fields: { action: 'verify', code: code() } }
  },
  'required factor': async () => {
    const reader = pages().openReader()
    const { email } = await pages().newPerson()
    const page = await reader.signIn(await reader.authorize({ acr_values: twoFactorLevel }), email)
    return { reader, page, fields: { action: 'cancel' } }
  },
  'authenticator app': async () => {
    const reader = pages().openReader()
    const { email } = await pages().newPerson()
    const page = await reader.signIn(await reader.go('/factors/app'), email)
    return { reader, page, fields: { action: 'confirm', code: '000000' } }
  },
  'removal of an app': async () => {
    const reader = pages().openReader()
    const person = await pages().newPerson()
    const code = await pages().giveApp(person)
    const page = await reader.signIn(await reader.go('/factors/app/remove'), person.email)
    return { reader, page: await reader.send(page, { code: code() }), fields: { action: 'remove' } }
  },
  'recovery codes': async () => {
    const reader = pages().openReader()
    const person = await pages().newPerson()
    const code = await pages().giveApp(person)
    const page = await reader.signIn(await reader.go('/factors/recovery-codes'), person.email)
    return { reader, page: await reader.send(page, { code: code() }), fields: { action: 'create' } }
  },
  'forgotten password': async () => {
    const reader = pages().openReader()
    const { email } = await pages().newPerson()
    return { reader, page: await reader.go('/password/forgot'), fields: { action: 'send', email } }
  },
  'new password': async () => {
    const reader = pages().openReader()
    const { id } = await pages().newPerson()
    const { token } = await pages().storage.write(writer =>
      createOneTimeLink(writer, { purpose: 'password', userId: id, ttlMs: 60_000 }),
    )
    const page = await reader.go(`/password/reset/${token}`)
    return { reader, page, fields: { action: 'save', password: 'seven purple walruses hum' } }
  },
  invitation: async () => {
    const reader = pages().openReader()
    const inviter = await pages().newInviter()
    const { token } = await pages().storage.write(writer =>
      createInvitation(writer, {
        workspaceId: pages().workspace.id,
        email: `guest${Math.random()}@example.org`,
        roles: ['api'],
        invitedBy: inviter.id,
      }),
    )
    const page = await reader.go(`/invitation/${token}`)
    return {
      reader,
      page,
      fields: { action: 'register', name: 'Guest', password: 'seven purple walruses hum' },
    }
  },
})
