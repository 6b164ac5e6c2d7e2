import { allItems } from '@querent/client'
import { MailLanguage, type NewInvitation, Role } from '@querent/contract/manage'
import type { Command } from 'commander'
import { define, group, option, repeated } from '#command-line/define'
import { CommandError, UsageError } from '#command-line/failure'
import type { Globals } from '#command-line/globals'
import { connect } from '#connection/connect'
import { allFound, type SearchOptions, searchOption } from '#connection/search-option'
import { print } from '#terminal/output'
import { listing } from '#terminal/table'

const roles = Role.anyOf.map(role => role.const)
const languages = MailLanguage.anyOf.map(language => language.const)

export const members = (): Command =>
  group('members', 'Members of a workspace.', [add(), invite(), invitations(), withdraw(), remove(), list()])

const add = (): Command =>
  define(
    'add',
    'Add a person to a workspace, or set the roles of a member. A person whose address is not confirmed gets an invitation.',
    'querent members add dictionary ada@example.org --role user',
  )
    .argument('<workspace>')
    .argument('<email>')
    .addOption(repeated('--role <role>', 'role', roles))
    .addOption(languageOption())
    .addOption(noMailOption())
    .action(async (workspace: string, email: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals & InviteOptions>()
      const given = rolesOf(options)
      const { management } = await connect(options)
      const reply = await management.call('setMember', {
        params: { workspace, email },
        input: { roles: given, ...mailInput(options) },
      })
      const text =
        'kind' in reply
          ? `${email} is a member of ${workspace}: ${reply.roles.join(', ')}.`
          : `The address ${reply.email} is not confirmed, so an invitation was created instead of a membership.\n${inWords(reply)}`
      print(options, { json: reply, text })
    })

interface InviteOptions {
  role?: Role[]
  language: (typeof languages)[number]
  mail: boolean
}

const languageOption = () =>
  option('--language <language>', 'language of the mail').choices(languages).default('en')
const noMailOption = () => option('--no-mail', 'send no mail; hand the link over yourself')

const mailInput = ({ language, mail }: InviteOptions) => ({ language, ...(mail ? {} : { mail }) })

/** The link, and what to do with it. */
export const inWords = ({ url, mailed, email, expiresAt }: NewInvitation): string => {
  const mail = mailed
    ? 'A mail with a link of its own is on its way to them; this one is for handing over.'
    : 'No mail was sent: hand the link over yourself.'
  return `${url}\n\n${mail} It works once, for ${email} alone, until ${expiresAt}.`
}

/** Throws {@link UsageError} when there is none. */
const rolesOf = ({ role }: { role?: Role[] }): Role[] => {
  if (role === undefined) throw new UsageError(`--role is missing: give one or more of ${roles.join(', ')}`)
  return [...new Set(role)]
}

const invite = (): Command =>
  define(
    'invite',
    'Invite a person: prints a link that works once, for 7 days, and mails it where the server has a mail server.',
    'querent members invite dictionary ada@example.org --role user',
  )
    .argument('<workspace>')
    .argument('<email>')
    .addOption(repeated('--role <role>', 'role', roles))
    .addOption(languageOption())
    .addOption(noMailOption())
    .action(async (workspace: string, email: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals & InviteOptions>()
      const given = rolesOf(options)
      const { management } = await connect(options)
      const invitation = await management.call('inviteMember', {
        params: { workspace },
        input: { email, roles: given, ...mailInput(options) },
      })
      print(options, { json: invitation, text: inWords(invitation) })
    })

const invitations = (): Command =>
  define(
    'invitations',
    'List the invitations to a workspace that nobody has accepted.',
    'querent members invitations dictionary --json',
  )
    .argument('<workspace>')
    .action(async (workspace: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const found = await openInvitations(management, workspace)
      const rows = found.map(({ email, roles: given, invitedBy, expiresAt, expired }) => [
        email,
        given.join(', '),
        invitedBy ?? '',
        expired ? `expired ${expiresAt}` : expiresAt,
      ])
      const titles = ['invited', 'roles', 'by', 'good until']
      print(options, { json: found, text: listing(titles, rows, `${workspace} has no open invitations.`) })
    })

const withdraw = (): Command =>
  define(
    'withdraw',
    'Withdraw the invitation of an address: its link works no more.',
    'querent members withdraw dictionary ada@example.org',
  )
    .argument('<workspace>')
    .argument('<email>')
    .action(async (workspace: string, email: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const found = await openInvitations(management, workspace)
      const invitation = found.find(open => open.email === email.trim().toLowerCase())
      if (!invitation) throw new CommandError(`${email} has no open invitation to ${workspace}`)
      await management.call('withdrawInvitation', { params: { workspace, invitationId: invitation.id } })
      print(options, {
        json: { workspace, email: invitation.email, withdrawn: true },
        text: `The invitation of ${invitation.email} to ${workspace} is withdrawn.`,
      })
    })

const openInvitations = (management: Awaited<ReturnType<typeof connect>>['management'], workspace: string) =>
  allItems(query => management.call('listInvitations', { params: { workspace }, query }))

const remove = (): Command =>
  define('remove', 'Remove a member, at once.', 'querent members remove dictionary ada@example.org')
    .argument('<workspace>')
    .argument('<email>')
    .action(async (workspace: string, email: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      await management.call('removeMember', { params: { workspace, email } })
      print(options, {
        json: { workspace, email, removed: true },
        text: `${email} is no member of ${workspace} any more.`,
      })
    })

const list = (): Command =>
  define(
    'list',
    'List the members of a workspace.',
    'querent members list dictionary --json',
    'querent members list dictionary --search ada',
  )
    .argument('<workspace>')
    .addOption(searchOption('how an e-mail address or name begins, or a whole Client ID'))
    .action(async (workspace: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals & SearchOptions>()
      const { management } = await connect(options)
      const found = await allFound(options, query =>
        management.call('listMembers', { params: { workspace }, query }),
      )
      const rows = found.map(member => [
        member.email ?? member.clientId ?? '',
        member.name,
        member.roles.join(', '),
        member.filter ? JSON.stringify(member.filter) : '',
        confirmedWord(member.emailVerified),
        member.lastActivityAt ?? '',
      ])
      const titles = ['member', 'name', 'roles', 'row filter', 'address', 'last activity']
      print(options, {
        json: found,
        text: listing(
          titles,
          rows,
          options.search ? `${workspace} has no such member.` : `${workspace} has no members.`,
        ),
      })
    })

/** Whether an address is confirmed, as lists write it; empty for an account without one. */
export const confirmedWord = (emailVerified: boolean | undefined): string => {
  if (emailVerified === undefined) return ''
  return emailVerified ? 'confirmed' : 'not confirmed'
}
