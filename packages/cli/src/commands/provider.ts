import type { IdentityProviderState, MailedProviderDomain, ProviderDomain } from '@querent/contract/manage'
import type { Command } from 'commander'
import { defineCommand, defineGroup, option } from '#command-line/define'
import type { Globals } from '#command-line/globals'
import { connect } from '#connection/connect'
import { print } from '#terminal/output'
import { readSecret } from '#terminal/stdin'

export const provider = (): Command =>
  defineGroup(
    'provider',
    "Manage the client secret and the domains of a workspace's own OpenID provider. The workspace file describes the provider: identityProvider.",
    [show(), setSecret(), removeSecret(), checkDomain(), sendLink(), prove()],
  )

const show = (): Command =>
  defineCommand(
    'show',
    'Show the addresses to register at the provider, whether the client secret is set, and which domains are proved.',
    'querent provider show dictionary',
  )
    .argument('<workspace>')
    .action(async (workspace: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const state = await management.call('getIdentityProvider', { params: { workspace } })
      print(options, { json: state, text: formatState(state) })
    })

const setSecret = (): Command =>
  defineCommand(
    'set-secret',
    'Set the client secret that the provider issued. The server stores it encrypted and never shows it.',
    'querent provider set-secret dictionary --secret-stdin < secret.txt',
  )
    .argument('<workspace>')
    .addOption(option('--secret-stdin', 'read the client secret from standard input').makeOptionMandatory())
    .action(async (workspace: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const secret = await readSecret('client secret')
      const state = await management.call('setIdentityProviderSecret', {
        params: { workspace },
        input: { secret },
      })
      print(options, { json: state, text: formatState(state) })
    })

const removeSecret = (): Command =>
  defineCommand(
    'remove-secret',
    'Delete the client secret. The server is then a public client of the provider.',
    'querent provider remove-secret dictionary',
  )
    .argument('<workspace>')
    .action(async (workspace: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      await management.call('removeIdentityProviderSecret', { params: { workspace } })
      print(options, {
        json: { workspace, removed: true },
        text: `Deleted the client secret for the provider of ${workspace}.`,
      })
    })

const checkDomain = (): Command =>
  defineCommand(
    'check-domain',
    'Look for the TXT record that proves a domain. "querent provider show" prints the record.',
    'querent provider check-domain dictionary example.org',
  )
    .argument('<workspace>')
    .argument('<domain>')
    .action(async (workspace: string, domain: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const state = await management.call('checkProviderDomain', { params: { workspace, domain } })
      print(options, { json: state, text: formatDomain(state) })
    })

const sendLink = (): Command =>
  defineCommand(
    'send-link',
    'Mail a link that proves a domain to its postmaster. The link works once, for a day.',
    'querent provider send-link dictionary example.org --to admin',
  )
    .argument('<workspace>')
    .argument('<domain>')
    .addOption(
      option('--to <mailbox>', 'mailbox of the domain that gets the link (default: postmaster)').choices([
        'postmaster',
        'admin',
      ]),
    )
    .action(
      async (workspace: string, domain: string, _: { to?: 'postmaster' | 'admin' }, command: Command) => {
        const { to = 'postmaster', ...options } = command.optsWithGlobals<
          Globals & { to?: 'postmaster' | 'admin' }
        >()
        const { management } = await connect(options)
        const state = await management.call('sendProviderDomainLink', {
          params: { workspace, domain },
          input: { to },
        })
        print(options, { json: state, text: `${formatDomain(state)}\n  ${mailTexts[state.mail]}` })
      },
    )

const mailTexts: Readonly<Record<MailedProviderDomain['mail'], string>> = {
  accepted: 'The mail server accepted the mail.',
  waiting: 'The mail server did not accept the mail yet; the server tries again for a day.',
  rejected: 'The mail server refused the mail: send it to the other mailbox, or add the TXT record.',
  unsupported:
    'No mail was sent, because the mail server cannot send to this address (it lacks SMTPUTF8): add the TXT record.',
  limited: 'No mail was sent, because too many mails wait: send it again later, or add the TXT record.',
  none: 'No mail was sent: add the TXT record.',
}

const prove = (): Command =>
  defineCommand(
    'prove',
    'Prove a domain as an operator: the provider signs in anybody with an address of it. The audit log records it.',
    'querent provider prove dictionary example.org',
  )
    .argument('<workspace>')
    .argument('<domain>')
    .action(async (workspace: string, domain: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const state = await management.call('proveProviderDomain', { params: { workspace, domain } })
      print(options, { json: state, text: formatDomain(state) })
    })

const proofTexts: Readonly<Record<NonNullable<ProviderDomain['proof']>, string>> = {
  dns: 'by its TXT record',
  email: 'by a mailed link',
  operator: 'by an operator',
}
const checkTexts: Readonly<Record<NonNullable<ProviderDomain['lastCheck']>, string>> = {
  found: 'record found',
  missing: 'record not found',
  'no-answer': 'the DNS did not answer',
}

const formatDomain = ({
  domain,
  state,
  proof,
  provedAt,
  record,
  lastCheck,
  checkedAt,
  endsAt,
  needsOperator,
  link,
}: ProviderDomain): string =>
  [
    proof === null
      ? `${domain}: not proved, so nobody is signed in with an address of it`
      : `${domain}: proved ${proofTexts[proof]} (${provedAt})`,
    ...(state === 'failing' && endsAt !== null
      ? [`  The proof ends ${endsAt}: add the TXT record again.`]
      : []),
    ...(needsOperator && proof === null
      ? ['  Only an operator can prove a domain of a public mail service: querent provider prove']
      : [`  TXT record: ${record}`]),
    ...(lastCheck === null ? [] : [`  Last look-up: ${checkTexts[lastCheck]} (${checkedAt})`]),
    ...(link === null ? [] : [`  Link for ${link.address}, valid until ${link.expiresAt}`]),
  ].join('\n')

const secretTexts: Readonly<Record<IdentityProviderState['secret'], string>> = {
  set: 'set',
  absent: 'not set',
  'other-provider': 'set for another issuer or Client ID: set it again',
  unreadable: 'encrypted with an earlier key of the server: set it again',
}

const formatState = (state: IdentityProviderState): string =>
  [
    `Issuer:                  ${state.issuer ?? 'none: add identityProvider to the workspace file'}`,
    `Client ID:               ${state.clientId ?? ''}`,
    `Client secret:           ${secretTexts[state.secret]}${state.secretSetAt === null ? '' : ` (${state.secretSetAt})`}`,
    `Redirect URI:            ${state.callbackUrl}`,
    `Back-channel logout URI: ${state.backchannelLogoutUrl}`,
    ...(state.issuer === null ? [] : [`Test the sign-in:        ${state.testUrl}`]),
    ...state.domains.map(formatDomain),
  ].join('\n')
