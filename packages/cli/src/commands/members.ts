import { allItems } from '@querent/client/manage'
import { canonicalEmail } from '@querent/contract/email-address'
import { type DocumentAccess, type NewInvitation, Role, type WithdrawnAccess } from '@querent/contract/manage'
import { groupName } from '@querent/contract/normalize-rights'
import type { Command } from 'commander'
import { defineCommand, defineGroup, option, repeatableOption } from '#command-line/define'
import { CommandError, UsageError } from '#command-line/failure'
import type { Globals } from '#command-line/globals'
import { readRowFilter, rowFilterOption } from '#command-line/row-filter'
import { connect } from '#connection/connect'
import { listMatching, type SearchOptions, searchOption } from '#connection/search-option'
import { print } from '#terminal/output'
import { formatListing } from '#terminal/table'

const roles = Role.anyOf.map(role => role.const)

export const members = (): Command =>
  defineGroup('members', 'Manage the members of a workspace.', [
    add(),
    invite(),
    invitations(),
    withdraw(),
    remove(),
    list(),
    explain(),
  ])

const add = (): Command =>
  defineCommand(
    'add',
    'Add a person to a workspace, or set the roles of a member. A person with an unconfirmed address gets an invitation.',
    'querent members add dictionary ada@example.org --role user',
    'querent members add dictionary eve@example.org --role api --group press --until 2027-01-01',
  )
    .argument('<workspace>')
    .argument('<email>')
    .addOption(repeatableOption('--role <role>', 'role', roles))
    .addOption(rowFilterOption())
    .addOption(repeatableOption('--group <group>', 'group; without it, the groups of a member stay'))
    .addOption(option('--until <date>', 'end of the membership: a date, which includes that day in UTC'))
    .addOption(languageOption())
    .addOption(noMailOption())
    .action(async (workspace: string, email: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals & InviteOptions & RightsOptions>()
      const memberRoles = requireRoles(options)
      const { management } = await connect(options)
      const reply = await management.call('setMember', {
        params: { workspace, email },
        input: {
          roles: memberRoles,
          ...readRights(options),
          ...mailInput(options),
        },
      })
      const text =
        'kind' in reply
          ? `${email} is a member of ${workspace}: ${reply.roles.join(', ')}.${describeWithdrawn(reply.withdrawn)}`
          : `The address ${reply.email} is not confirmed, so an invitation was created instead of a membership.\n${describeInvitation(reply)}`
      print(options, { json: reply, text })
    })

interface RightsOptions {
  filter?: string
  group?: string[]
  until?: string
}

const readRights = ({ filter, group: groups, until }: RightsOptions) => ({
  ...(filter !== undefined && { filter: readRowFilter(filter) }),
  ...(groups && { groups }),
  ...(until !== undefined && { until }),
})

interface InviteOptions {
  role?: Role[]
  language: string
  mail: boolean
}

const explain = (): Command =>
  defineCommand(
    'why',
    'Say why a member sees a document, or what hides it.',
    'querent members why dictionary ada@example.org entries bank-1',
  )
    .argument('<workspace>')
    .argument('<email>', 'e-mail address, or Client ID of a System-to-System account')
    .argument('<collection>')
    .argument('<id>', 'id or URI of the document')
    .action(
      async (
        workspace: string,
        member: string,
        collection: string,
        id: string,
        _: unknown,
        command: Command,
      ) => {
        const options = command.optsWithGlobals<Globals>()
        const { management } = await connect(options)
        const access = await management.call('explainDocumentAccess', {
          params: { workspace, collection },
          query: { id, member },
        })
        print(options, { json: access, text: describeAccess(member, access) })
      },
    )

const describeAccess = (member: string, access: DocumentAccess): string => {
  const { sees, document, checks, filters, hiddenFields } = access
  const failedConditions = filters
    .filter(({ passed }) => !passed)
    .flatMap(({ source, group, conditions }) =>
      conditions
        .filter(condition => !condition.passed)
        .map(
          ({ field, allowed, found }) =>
            `        ${group ?? source}: ${field} must match ${allowed}, found ${found.join(', ') || 'no value'}`,
        ),
    )
  const isHiddenByFilter = checks.some(({ name, passed }) => name === 'row-filter' && !passed)
  return [
    `${member} ${sees ? 'sees' : 'does not see'} ${document}.`,
    ...(access.public ? ['Everybody sees it at a public API.'] : []),
    ...checks.map(({ passed, message }) => `${passed ? 'passed' : 'failed'}  ${message}`),
    ...(isHiddenByFilter ? failedConditions : []),
    ...(hiddenFields.length > 0 ? [`Hidden fields: ${hiddenFields.join(', ')}.`] : []),
  ].join('\n')
}

const languageOption = () =>
  option('--language <language>', 'language of the mail, such as en or nl').default('en')
const noMailOption = () => option('--no-mail', 'send no mail; you pass on the link yourself')

const mailInput = ({ language, mail }: InviteOptions) => ({ language, ...(mail ? {} : { mail }) })

/** Returns the link and what to do with it. */
export const describeInvitation = ({ url, mail, email, expiresAt }: NewInvitation): string =>
  `${url}\n\n${mailTexts[mail]} It works once, only for ${email}, until ${expiresAt}.`

const mailTexts: Readonly<Record<NewInvitation['mail'], string>> = {
  accepted: 'A mail with another link is on its way; pass this one on yourself if you need to.',
  waiting:
    'The mail server did not accept the mail yet; the server tries again for a day. Pass on this link yourself if it is urgent.',
  rejected: 'The mail server refused the mail: check the address, or pass on the link yourself.',
  unsupported:
    'No mail was sent, because the mail server cannot send to this address (it lacks SMTPUTF8): pass on the link yourself.',
  limited: 'No mail was sent, because too many were: pass on the link yourself.',
  none: 'No mail was sent: pass on the link yourself.',
}

/** Lists what ended because a person may no longer give it, on lines of their own. Empty: nothing did. */
export const describeWithdrawn = (withdrawn: WithdrawnAccess | undefined): string =>
  [
    ...(withdrawn?.invitations ?? []).map(
      ({ workspace, email }) => `\nWithdrew their invitation of ${email} to ${workspace}.`,
    ),
    ...(withdrawn?.registrationTokens ?? []).map(
      ({ workspace, name }) => `\nRemoved their registration token ${name} of ${workspace}.`,
    ),
  ].join('')

/** Throws {@link UsageError} if there is none. */
const requireRoles = ({ role }: { role?: Role[] }): Role[] => {
  if (role === undefined) throw new UsageError(`--role is missing: give one or more of ${roles.join(', ')}`)
  return [...new Set(role)]
}

const invite = (): Command =>
  defineCommand(
    'invite',
    'Invite a person. It prints a link that works once, for 7 days, and mails a link if the server has a mail server.',
    'querent members invite dictionary ada@example.org --role user',
  )
    .argument('<workspace>')
    .argument('<email>')
    .addOption(repeatableOption('--role <role>', 'role', roles))
    .addOption(rowFilterOption())
    .addOption(repeatableOption('--group <group>', 'group'))
    .addOption(option('--until <date>', 'end of the membership: a date, which includes that day in UTC'))
    .addOption(languageOption())
    .addOption(noMailOption())
    .action(async (workspace: string, email: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals & InviteOptions & RightsOptions>()
      const memberRoles = requireRoles(options)
      const { management } = await connect(options)
      const invitation = await management.call('inviteMember', {
        params: { workspace },
        input: { email, roles: memberRoles, ...readRights(options), ...mailInput(options) },
      })
      print(options, { json: invitation, text: describeInvitation(invitation) })
    })

const invitations = (): Command =>
  defineCommand(
    'invitations',
    'List the open invitations to a workspace.',
    'querent members invitations dictionary --json',
  )
    .argument('<workspace>')
    .action(async (workspace: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const openInvitations = await listOpenInvitations(management, workspace)
      const rows = openInvitations.map(
        ({ email, roles: memberRoles, groups = [], invitedBy, expiresAt, expired }) => [
          email,
          memberRoles.join(', '),
          groups.map(groupName).join(', '),
          invitedBy ?? '',
          expired ? `expired ${expiresAt}` : expiresAt,
        ],
      )
      const titles = ['invited', 'roles', 'groups', 'by', 'valid until']
      print(options, {
        json: openInvitations,
        text: formatListing(titles, rows, `${workspace} has no open invitations.`),
      })
    })

const withdraw = (): Command =>
  defineCommand(
    'withdraw',
    'Withdraw the invitation of an address. Its link stops working.',
    'querent members withdraw dictionary ada@example.org',
  )
    .argument('<workspace>')
    .argument('<email>')
    .action(async (workspace: string, email: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const openInvitations = await listOpenInvitations(management, workspace)
      const invitation = openInvitations.find(open => open.email === canonicalEmail(email))
      if (!invitation) throw new CommandError(`${email} has no open invitation to ${workspace}`)
      await management.call('withdrawInvitation', { params: { workspace, invitationId: invitation.id } })
      print(options, {
        json: { workspace, email: invitation.email, withdrawn: true },
        text: `Withdrew the invitation of ${invitation.email} to ${workspace}.`,
      })
    })

const listOpenInvitations = (
  management: Awaited<ReturnType<typeof connect>>['management'],
  workspace: string,
) => allItems(query => management.call('listInvitations', { params: { workspace }, query }))

const remove = (): Command =>
  defineCommand('remove', 'Remove a member, at once.', 'querent members remove dictionary ada@example.org')
    .argument('<workspace>')
    .argument('<email>')
    .action(async (workspace: string, email: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const reply = await management.call('removeMember', { params: { workspace, email } })
      print(options, {
        json: { workspace, email, removed: true, ...reply },
        text: `Removed ${email} from ${workspace}.${describeWithdrawn(reply?.withdrawn)}`,
      })
    })

const list = (): Command =>
  defineCommand(
    'list',
    'List the members of a workspace.',
    'querent members list dictionary --json',
    'querent members list dictionary --search ada',
  )
    .argument('<workspace>')
    .addOption(searchOption('start of an e-mail address or name, or a complete Client ID'))
    .action(async (workspace: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals & SearchOptions>()
      const { management } = await connect(options)
      const workspaceMembers = await listMatching(options, query =>
        management.call('listMembers', { params: { workspace }, query }),
      )
      const rows = workspaceMembers.map(member => [
        member.email ?? member.clientId ?? '',
        member.name,
        member.roles.join(', '),
        (member.groups ?? []).map(groupName).join(', '),
        member.filter ? JSON.stringify(member.filter) : '',
        confirmedWord(member.emailVerified),
        member.lastActivityAt ?? '',
      ])
      const titles = ['member', 'name', 'roles', 'groups', 'own row filter', 'address', 'last activity']
      print(options, {
        json: workspaceMembers,
        text: formatListing(
          titles,
          rows,
          options.search ? `No member of ${workspace} matches.` : `${workspace} has no members.`,
        ),
      })
    })

/** Returns whether an address is confirmed, for lists. Empty for an account without an address. */
export const confirmedWord = (emailVerified: boolean | undefined): string => {
  if (emailVerified === undefined) return ''
  return emailVerified ? 'confirmed' : 'not confirmed'
}
