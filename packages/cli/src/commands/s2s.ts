import { SystemRole } from '@querent/contract/manage'
import type { Command } from 'commander'
import { define, group, repeated } from '#command-line/define'
import { UsageError } from '#command-line/failure'
import type { Globals } from '#command-line/globals'
import { secret } from '#commands/s2s-secret'
import { connect } from '#connection/connect'
import { allFound, type SearchOptions, searchOption } from '#connection/search-option'
import { print } from '#terminal/output'
import { listing } from '#terminal/table'

const roles = SystemRole.anyOf.map(role => role.const)

export const s2s = (): Command =>
  group('s2s', 'System-to-System accounts: programs that query or import.', [
    create(),
    list(),
    remove(),
    setDisabled('disable', true),
    setDisabled('enable', false),
    secret(),
  ])

const create = (): Command =>
  define(
    'create',
    'Make a System-to-System account; its Client Secret is shown this once.',
    'querent s2s create dictionary website --role api --json',
  )
    .argument('<workspace>')
    .argument('<name>')
    .addOption(repeated('--role <role>', 'role', roles))
    .addOption(repeated('--address <range>', 'IP address or CIDR range that it may be used from'))
    .action(async (workspace: string, name: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals & { role?: SystemRole[]; address?: string[] }>()
      if (options.role === undefined)
        throw new UsageError(`--role is missing: give one or more of ${roles.join(', ')}`)
      const { management } = await connect(options)
      const { clientId, clientSecret } = await management.call('createSystemToSystem', {
        params: { workspace },
        input: {
          name,
          roles: [...new Set(options.role)],
          ...(options.address ? { addresses: options.address } : {}),
        },
      })
      print(options, {
        json: { clientId, clientSecret },
        text: `Client ID:     ${clientId}\nClient Secret: ${clientSecret}   (shown this once: keep it now)`,
      })
    })

const list = (): Command =>
  define('list', 'List the System-to-System accounts of a workspace.', 'querent s2s list dictionary --json')
    .argument('<workspace>')
    .addOption(searchOption('how a name begins, or a whole Client ID'))
    .action(async (workspace: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals & SearchOptions>()
      const { management } = await connect(options)
      const found = await allFound(options, query =>
        management.call('listSystemToSystem', { params: { workspace }, query }),
      )
      const rows = found.map(account => [
        account.clientId,
        account.name,
        account.roles.join(', '),
        account.disabled ? 'disabled' : '',
        account.secrets
          .map(({ id, hint, createdAt, expiresAt, lastUsedAt }) =>
            [
              id,
              hint === null ? '' : `${hint}…`,
              `made ${createdAt}`,
              expiresAt ? `expires ${expiresAt}` : '',
              lastUsedAt ? `used ${lastUsedAt}` : 'never used',
            ]
              .filter(Boolean)
              .join(', '),
          )
          .join('\n'),
      ])
      const none = options.search
        ? `${workspace} has no such System-to-System account.`
        : `${workspace} has no System-to-System accounts: make one with \`querent s2s create ${workspace} NAME --role api\`.`
      print(options, {
        json: found,
        text: listing(['Client ID', 'name', 'roles', 'state', 'secrets'], rows, none),
      })
    })

const remove = (): Command =>
  define('remove', 'Remove an account, at once.', 'querent s2s remove dictionary CLIENT_ID')
    .argument('<workspace>')
    .argument('<client-id>')
    .action(async (workspace: string, clientId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      await management.call('removeSystemToSystem', { params: { workspace, clientId } })
      print(options, {
        json: { workspace, clientId, removed: true },
        text: `${clientId} is removed from ${workspace}.`,
      })
    })

const setDisabled = (name: 'disable' | 'enable', disabled: boolean): Command =>
  define(
    name,
    disabled ? 'Shut an account out, at once.' : 'Let a disabled account in again.',
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
