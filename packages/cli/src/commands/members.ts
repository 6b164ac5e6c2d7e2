import { allItems } from '@querent/client'
import { MailLanguage, Role } from '@querent/contract/manage'
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
    'Add a user to a workspace, or set the roles of one who is a member.',
    'querent members add dictionary ada@example.org --role user',
  )
    .argument('<workspace>')
    .argument('<email>')
    .addOption(repeated('--role <role>', 'role', roles))
    .action(async (workspace: string, email: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals & { role?: Role[] }>()
      const given = rolesOf(options)
      const { management } = await connect(options)
      const member = await management.call('setMember', {
        params: { workspace, email },
        input: { roles: given },
      })
      print(options, {
        json: member,
        text: `${email} is a member of ${workspace}: ${member.roles.join(', ')}.`,
      })
    })

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
    .addOption(option('--language <language>', 'language of the mail').choices(languages).default('en'))
    .action(async (workspace: string, email: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<
        Globals & { role?: Role[]; language: (typeof languages)[number] }
      >()
      const given = rolesOf(options)
      const { management } = await connect(options)
      const invitation = await management.call('inviteMember', {
        params: { workspace },
        input: { email, roles: given, language: options.language },
      })
      const mail = invitation.mailed
        ? 'A mail with a link of its own is on its way to them; this one is for handing over.'
        : 'No mail was sent: hand the link over yourself.'
      print(options, {
        json: invitation,
        text: `${invitation.url}\n\n${mail} It works once, for ${invitation.email} alone, until ${invitation.expiresAt}.`,
      })
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
        member.lastActivityAt ?? '',
      ])
      const titles = ['member', 'name', 'roles', 'row filter', 'last activity']
      print(options, {
        json: found,
        text: listing(
          titles,
          rows,
          options.search ? `${workspace} has no such member.` : `${workspace} has no members.`,
        ),
      })
    })
