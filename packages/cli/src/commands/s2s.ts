import { SystemRole } from '@querent/contract/manage'
import type { Command } from 'commander'
import { defineCommand, defineGroup, option, repeatableOption } from '#command-line/define'
import { UsageError } from '#command-line/failure'
import type { Globals } from '#command-line/globals'
import { readRowFilter, rowFilterOption } from '#command-line/row-filter'
import { secret } from '#commands/s2s-secret'
import { connect } from '#connection/connect'
import { listMatching, type SearchOptions, searchOption } from '#connection/search-option'
import { print } from '#terminal/output'
import { formatListing } from '#terminal/table'

const roles = SystemRole.anyOf.map(role => role.const)

export const s2s = (): Command =>
  defineGroup('s2s', 'Manage System-to-System accounts, for programs that query or import.', [
    create(),
    list(),
    update(),
    remove(),
    setDisabled('disable', true),
    setDisabled('enable', false),
    secret(),
  ])

const dpopHelp = 'only issue tokens bound to a key: token requests need a DPoP proof'

interface CreateOptions extends Globals {
  role?: SystemRole[]
  address?: string[]
  filter?: string
  dpop?: true
}

const create = (): Command =>
  defineCommand(
    'create',
    'Create a System-to-System account. Its Client Secret is shown only once.',
    'querent s2s create dictionary website --role api --json',
  )
    .argument('<workspace>')
    .argument('<name>')
    .addOption(repeatableOption('--role <role>', 'role', roles))
    .addOption(repeatableOption('--address <range>', 'IP address or CIDR range that may use the account'))
    .addOption(rowFilterOption())
    .addOption(option('--dpop', dpopHelp))
    .action(async (workspace: string, name: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<CreateOptions>()
      if (options.role === undefined)
        throw new UsageError(`--role is missing: give one or more of ${roles.join(', ')}`)
      const { management } = await connect(options)
      const { clientId, clientSecret } = await management.call('createSystemToSystem', {
        params: { workspace },
        input: {
          name,
          roles: [...new Set(options.role)],
          ...(options.address ? { addresses: options.address } : {}),
          ...(options.filter === undefined ? {} : { filter: readRowFilter(options.filter) }),
          ...(options.dpop ? { dpop: true } : {}),
        },
      })
      print(options, {
        json: { clientId, clientSecret },
        text: `Client ID:     ${clientId}\nClient Secret: ${clientSecret}   (shown only once: save it now)`,
      })
    })

const list = (): Command =>
  defineCommand(
    'list',
    'List the System-to-System accounts of a workspace.',
    'querent s2s list dictionary --json',
  )
    .argument('<workspace>')
    .addOption(searchOption('start of a name, or a complete Client ID'))
    .action(async (workspace: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals & SearchOptions>()
      const { management } = await connect(options)
      const accounts = await listMatching(options, query =>
        management.call('listSystemToSystem', { params: { workspace }, query }),
      )
      const rows = accounts.map(account => [
        account.clientId,
        account.name,
        account.roles.join(', '),
        account.disabled ? 'disabled' : '',
        account.secrets
          .map(({ id, hint, createdAt, expiresAt, lastUsedAt }) =>
            [
              id,
              hint === null ? '' : `${hint}…`,
              `created ${createdAt}`,
              expiresAt ? `expires ${expiresAt}` : '',
              lastUsedAt ? `used ${lastUsedAt}` : 'never used',
            ]
              .filter(Boolean)
              .join(', '),
          )
          .join('\n'),
      ])
      const emptyText = options.search
        ? `No System-to-System account of ${workspace} matches.`
        : `${workspace} has no System-to-System accounts: create one with \`querent s2s create ${workspace} NAME --role api\`.`
      print(options, {
        json: accounts,
        text: formatListing(['Client ID', 'name', 'roles', 'state', 'secrets'], rows, emptyText),
      })
    })

const update = (): Command =>
  defineCommand(
    'update',
    'Change what an account must send. Takes effect with its next token.',
    'querent s2s update dictionary CLIENT_ID --dpop',
  )
    .argument('<workspace>')
    .argument('<client-id>')
    .addOption(option('--dpop', dpopHelp).conflicts('withoutDpop'))
    .addOption(option('--without-dpop', 'accept token requests without a DPoP proof'))
    .action(async (workspace: string, clientId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals & { dpop?: true; withoutDpop?: true }>()
      if (!options.dpop && !options.withoutDpop)
        throw new UsageError('nothing to change: give --dpop or --without-dpop')
      const { management } = await connect(options)
      const account = await management.call('updateSystemToSystem', {
        params: { workspace, clientId },
        input: { dpop: options.dpop === true },
      })
      const text = account.dpop
        ? `${clientId} only gets tokens with a DPoP proof.`
        : `${clientId} gets tokens with and without a DPoP proof.`
      print(options, { json: account, text })
    })

const remove = (): Command =>
  defineCommand('remove', 'Remove an account, at once.', 'querent s2s remove dictionary CLIENT_ID')
    .argument('<workspace>')
    .argument('<client-id>')
    .action(async (workspace: string, clientId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      await management.call('removeSystemToSystem', { params: { workspace, clientId } })
      print(options, {
        json: { workspace, clientId, removed: true },
        text: `Removed ${clientId} from ${workspace}.`,
      })
    })

const setDisabled = (name: 'disable' | 'enable', disabled: boolean): Command =>
  defineCommand(
    name,
    disabled ? 'Disable an account, at once.' : 'Enable a disabled account.',
    `querent s2s ${name} dictionary CLIENT_ID`,
  )
    .argument('<workspace>')
    .argument('<client-id>')
    .action(async (workspace: string, clientId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const params = { workspace, clientId }
      const account = await management.call('updateSystemToSystem', { params, input: { disabled } })
      print(options, { json: account, text: `${clientId} is ${account.disabled ? 'disabled' : 'enabled'}.` })
    })
