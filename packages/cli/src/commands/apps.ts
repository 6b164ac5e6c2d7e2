import { readFile } from 'node:fs/promises'
import { allItems } from '@querent/client'
import { ApplicationType, IdTokenAlgorithm } from '@querent/contract/manage'
import type { Command } from 'commander'
import { define, group, option, repeated } from '#command-line/define'
import { UsageError } from '#command-line/failure'
import type { Globals } from '#command-line/globals'
import { connect } from '#connection/connect'
import { print } from '#terminal/output'
import { listing } from '#terminal/table'

const types = ApplicationType.anyOf.map(type => type.const)
const algorithms = IdTokenAlgorithm.anyOf.map(algorithm => algorithm.const)

export const apps = (): Command =>
  group('apps', 'Registered applications, for people who sign in.', [create(), list(), remove()])

interface CreateOptions extends Globals {
  redirectUri?: string[]
  type?: (typeof types)[number]
  logoutUri?: string[]
  origin?: string[]
  withoutPkce?: true
  withoutNonce?: true
  idTokenAlgorithm?: (typeof algorithms)[number]
  publicKeys?: string
}

const create = (): Command =>
  define(
    'create',
    'Register an application; NAME is what the consent page shows.',
    'querent apps create dictionary Finder --redirect-uri http://localhost:5173/callback',
  )
    .argument('<workspace>')
    .argument('<name>')
    .addOption(repeated('--redirect-uri <url>', 'where people are sent back to'))
    .addOption(option('--type <type>', 'kind of application (default: browser)').choices(types))
    .addOption(repeated('--logout-uri <url>', 'where people may be sent after logout'))
    .addOption(repeated('--origin <origin>', 'origin whose pages may query'))
    .addOption(option('--without-pkce', 'for type server: it sends a nonce in place of a code challenge'))
    .addOption(
      option('--without-nonce', 'with --without-pkce: it sends neither; unsafe, for conformance runs alone'),
    )
    .addOption(
      option('--id-token-algorithm <algorithm>', 'signature of ID tokens (default: RS256)').choices(
        algorithms,
      ),
    )
    .addOption(
      option('--public-keys <file>', 'JSON Web Key Set, for private_key_jwt in place of a Client Secret'),
    )
    .action(async (workspace: string, name: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<CreateOptions>()
      const { redirectUri: redirectUris, type, logoutUri: logoutUris, origin: origins } = options
      if (redirectUris === undefined)
        throw new UsageError('--redirect-uri is missing: give the address to send people back to')
      const { idTokenAlgorithm } = options
      const publicKeys = options.publicKeys === undefined ? undefined : await readKeys(options.publicKeys)
      const { management } = await connect(options)
      const { clientId, clientSecret } = await management.call('createApplication', {
        params: { workspace },
        input: {
          name,
          redirectUris,
          ...(type ? { type } : {}),
          ...(logoutUris ? { logoutUris } : {}),
          ...(origins ? { origins } : {}),
          ...(options.withoutPkce ? { pkce: false } : {}),
          ...(options.withoutNonce ? { nonce: false } : {}),
          ...(idTokenAlgorithm ? { idTokenAlgorithm } : {}),
          ...(publicKeys ? { publicKeys } : {}),
        },
      })
      const secretLine = clientSecret
        ? `\nClient Secret: ${clientSecret}   (shown this once: keep it now)`
        : ''
      print(options, { json: { clientId, clientSecret }, text: `Client ID:     ${clientId}${secretLine}` })
    })

/** What is in it the server judges. */
const readKeys = async (file: string): Promise<{ keys: Record<string, unknown>[] }> => {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw new UsageError(
      `--public-keys: ${file} is no JSON Web Key Set: ${error instanceof Error ? error.message : error}`,
    )
  }
}

const list = (): Command =>
  define('list', 'List the applications of a workspace.', 'querent apps list dictionary')
    .argument('<workspace>')
    .action(async (workspace: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const found = await allItems(query =>
        management.call('listApplications', { params: { workspace }, query }),
      )
      const rows = found.map(app => [
        app.clientId,
        app.name,
        app.disabled ? `${app.type}, disabled` : app.type,
        app.redirectUris.join('\n'),
      ])
      const none = `${workspace} has no applications.`
      print(options, {
        json: found,
        text: listing(['Client ID', 'name', 'type', 'redirect URIs'], rows, none),
      })
    })

const remove = (): Command =>
  define(
    'remove',
    'Remove an application and all it was granted, at once.',
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
        text: `${clientId} is removed from ${workspace}.`,
      })
    })
