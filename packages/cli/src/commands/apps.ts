import { readFile } from 'node:fs/promises'
import { allItems } from '@querent/client/manage'
import { ApplicationType, IdTokenAlgorithm } from '@querent/contract/manage'
import type { Command } from 'commander'
import { defineCommand, defineGroup, option, repeatableOption } from '#command-line/define'
import { UsageError } from '#command-line/failure'
import type { Globals } from '#command-line/globals'
import { connect } from '#connection/connect'
import { print } from '#terminal/output'
import { formatListing } from '#terminal/table'

const dpopHelp = 'only issue tokens bound to a key: token requests need a DPoP proof'
const types = ApplicationType.anyOf.map(type => type.const)
const algorithms = IdTokenAlgorithm.anyOf.map(algorithm => algorithm.const)

export const apps = (): Command =>
  defineGroup('apps', 'Manage the registered applications that people sign in to.', [
    create(),
    list(),
    update(),
    remove(),
    tokens(),
  ])

interface CreateOptions extends Globals {
  redirectUri?: string[]
  type?: (typeof types)[number]
  logoutUri?: string[]
  origin?: string[]
  backchannelLogoutUri?: string
  defaultAudience?: string
  withoutPkce?: true
  withoutNonce?: true
  idTokenAlgorithm?: (typeof algorithms)[number]
  publicKeys?: string
  profile?: 'fapi2'
  dpop?: true
}

const create = (): Command =>
  defineCommand(
    'create',
    'Register an application. The consent page shows NAME.',
    'querent apps create dictionary Finder --redirect-uri http://localhost:5173/callback',
  )
    .argument('<workspace>')
    .argument('<name>')
    .addOption(repeatableOption('--redirect-uri <url>', 'redirect URI after sign-in'))
    .addOption(option('--type <type>', 'type of application (default: browser)').choices(types))
    .addOption(repeatableOption('--logout-uri <url>', 'allowed redirect URI after logout'))
    .addOption(repeatableOption('--origin <origin>', 'web origin that may query from a browser'))
    .addOption(option('--backchannel-logout-uri <url>', 'receives a logout token when a session ends'))
    .addOption(
      option('--default-audience <url>', 'audience of sign-ins that request none, such as the query service'),
    )
    .addOption(option('--without-pkce', 'for type server: accept a nonce instead of a code challenge'))
    .addOption(
      option('--without-nonce', 'with --without-pkce: require neither; unsafe, only for conformance tests'),
    )
    .addOption(
      option('--id-token-algorithm <algorithm>', 'signature of ID tokens (default: RS256)').choices(
        algorithms,
      ),
    )
    .addOption(
      option('--public-keys <file>', 'JSON Web Key Set, for private_key_jwt instead of a Client Secret'),
    )
    .addOption(
      option('--profile <profile>', 'enforced security profile; fapi2 needs --public-keys').choices([
        'fapi2',
      ]),
    )
    .addOption(option('--dpop', dpopHelp))
    .action(async (workspace: string, name: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<CreateOptions>()
      const { redirectUri: redirectUris } = options
      if (redirectUris === undefined)
        throw new UsageError(
          '--redirect-uri is missing: give the address that people return to after sign-in',
        )
      const publicKeys = options.publicKeys === undefined ? undefined : await readKeys(options.publicKeys)
      const { management } = await connect(options)
      const { clientId, clientSecret } = await management.call('createApplication', {
        params: { workspace },
        input: { name, redirectUris, ...readSettings(options), ...(publicKeys ? { publicKeys } : {}) },
      })
      const secretLine = clientSecret
        ? `\nClient Secret: ${clientSecret}   (shown only once: save it now)`
        : ''
      print(options, { json: { clientId, clientSecret }, text: `Client ID:     ${clientId}${secretLine}` })
    })

/** The settings that were given. The server knows the defaults of the others. */
const readSettings = (options: CreateOptions) => {
  const { type, profile, logoutUri: logoutUris, origin: origins } = options
  const { idTokenAlgorithm, defaultAudience, backchannelLogoutUri } = options
  return {
    ...(type ? { type } : {}),
    ...(logoutUris ? { logoutUris } : {}),
    ...(origins ? { origins } : {}),
    ...(backchannelLogoutUri ? { backchannelLogoutUri } : {}),
    ...(defaultAudience ? { defaultAudience } : {}),
    ...(options.withoutPkce ? { pkce: false } : {}),
    ...(options.withoutNonce ? { nonce: false } : {}),
    ...(idTokenAlgorithm ? { idTokenAlgorithm } : {}),
    ...(profile ? { profile } : {}),
    ...(options.dpop ? { dpop: true } : {}),
  }
}

/** The server validates the keys. */
const readKeys = async (file: string): Promise<{ keys: Record<string, unknown>[] }> => {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw new UsageError(
      `--public-keys: ${file} is not a JSON Web Key Set: ${error instanceof Error ? error.message : error}`,
    )
  }
}

const list = (): Command =>
  defineCommand('list', 'List the applications of a workspace.', 'querent apps list dictionary')
    .argument('<workspace>')
    .action(async (workspace: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const applications = await allItems(query =>
        management.call('listApplications', { params: { workspace }, query }),
      )
      const rows = applications.map(app => [
        app.clientId,
        app.name,
        app.disabled ? `${app.type}, disabled` : app.type,
        app.redirectUris.join('\n'),
      ])
      const emptyText = `${workspace} has no applications.`
      print(options, {
        json: applications,
        text: formatListing(['Client ID', 'name', 'type', 'redirect URIs'], rows, emptyText),
      })
    })

interface UpdateOptions extends Globals {
  pkce?: true
  withoutPkce?: true
  dpop?: true
  withoutDpop?: true
}

const update = (): Command =>
  defineCommand(
    'update',
    'Change what an application must send. Takes effect immediately.',
    'querent apps update dictionary CLIENT_ID --without-pkce',
  )
    .argument('<workspace>')
    .argument('<client-id>')
    .addOption(option('--pkce', 'require a code challenge').conflicts('withoutPkce'))
    .addOption(option('--without-pkce', 'for type server: accept a nonce instead of a code challenge'))
    .addOption(option('--dpop', dpopHelp).conflicts('withoutDpop'))
    .addOption(option('--without-dpop', 'accept token requests without a DPoP proof'))
    .action(async (workspace: string, clientId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<UpdateOptions>()
      const input = {
        ...readSwitch('pkce', options.pkce, options.withoutPkce),
        ...readSwitch('dpop', options.dpop, options.withoutDpop),
      }
      if (Object.keys(input).length === 0)
        throw new UsageError('nothing to change: give --pkce, --without-pkce, --dpop or --without-dpop')
      const { management } = await connect(options)
      const application = await management.call('updateApplication', {
        params: { workspace, clientId },
        input,
      })
      print(options, { json: application, text: `Updated ${clientId} in ${workspace}.` })
    })

/** Absent if neither option is given. */
const readSwitch = <Name extends string>(
  name: Name,
  isOn: true | undefined,
  isOff: true | undefined,
): { [N in Name]?: boolean } =>
  // A computed key has the type string.
  (isOn || isOff ? { [name]: isOn === true } : {}) as { [N in Name]?: boolean }

const remove = (): Command =>
  defineCommand(
    'remove',
    'Remove an application and all its grants, at once.',
    'querent apps remove dictionary CLIENT_ID',
  )
    .argument('<workspace>')
    .argument('<client-id>')
    .action(async (workspace: string, clientId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      await management.call('removeApplication', { params: { workspace, clientId } })
      print(options, {
        json: { workspace, clientId, removed: true },
        text: `Removed ${clientId} from ${workspace}.`,
      })
    })

const tokens = (): Command =>
  defineGroup('tokens', 'Manage the initial access tokens with which applications register themselves.', [
    createToken(),
    listTokens(),
    removeToken(),
  ])

interface TokenOptions extends Globals {
  uses?: string
  days?: string
}

const createToken = (): Command =>
  defineCommand(
    'create',
    'Create an initial access token (RFC 7591). It is shown only once.',
    'querent apps tokens create dictionary partners --uses 5 --days 30',
  )
    .argument('<workspace>')
    .argument('<name>')
    .addOption(option('--uses <number>', 'applications that it may register (default: 1)'))
    .addOption(option('--days <number>', 'lifetime (default: 7)'))
    .action(async (workspace: string, name: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<TokenOptions>()
      const input = { name, ...readCount(options, 'uses'), ...readCount(options, 'days') }
      const { management } = await connect(options)
      const created = await management.call('createRegistrationToken', { params: { workspace }, input })
      print(options, {
        json: created,
        text: `Initial access token: ${created.token}   (shown only once: save it now)\nExpires:              ${created.expiresAt}`,
      })
    })

/** The server checks the range. */
const readCount = (options: TokenOptions, name: 'uses' | 'days'): { [Name in typeof name]?: number } => {
  const text = options[name]
  if (text === undefined) return {}
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${name}: found "${text}", allowed: a whole number`)
  return { [name]: Number(text) }
}

const listTokens = (): Command =>
  defineCommand(
    'list',
    'List the initial access tokens of a workspace.',
    'querent apps tokens list dictionary',
  )
    .argument('<workspace>')
    .action(async (workspace: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const rows = await allItems(query =>
        management.call('listRegistrationTokens', { params: { workspace }, query }),
      )
      print(options, {
        json: rows,
        text: formatListing(
          ['ID', 'name', 'used', 'expires'],
          rows.map(row => [row.id, row.name, `${row.uses} of ${row.usesMax}`, row.expiresAt]),
          `${workspace} has no initial access tokens.`,
        ),
      })
    })

const removeToken = (): Command =>
  defineCommand(
    'remove',
    'Remove an initial access token. Its applications stay.',
    'querent apps tokens remove dictionary TOKEN_ID',
  )
    .argument('<workspace>')
    .argument('<token-id>')
    .action(async (workspace: string, tokenId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      await management.call('removeRegistrationToken', { params: { workspace, tokenId } })
      print(options, {
        json: { workspace, tokenId, removed: true },
        text: `Removed the initial access token ${tokenId} from ${workspace}.`,
      })
    })
