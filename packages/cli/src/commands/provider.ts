import type { IdentityProviderState } from '@querent/contract/manage'
import type { Command } from 'commander'
import { defineCommand, defineGroup, option } from '#command-line/define'
import type { Globals } from '#command-line/globals'
import { connect } from '#connection/connect'
import { print } from '#terminal/output'
import { readSecret } from '#terminal/stdin'

export const provider = (): Command =>
  defineGroup(
    'provider',
    "Manage the client secret for a workspace's own OpenID provider. The workspace file describes the provider: identityProvider.",
    [show(), setSecret(), removeSecret()],
  )

const show = (): Command =>
  defineCommand(
    'show',
    'Show the addresses to register at the provider, and whether the client secret is set.',
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

const secretTexts: Readonly<Record<IdentityProviderState['secret'], string>> = {
  set: 'set',
  absent: 'not set',
  'other-provider': 'set for another issuer or Client ID: set it again',
}

const formatState = (state: IdentityProviderState): string =>
  [
    `Issuer:                  ${state.issuer ?? 'none: add identityProvider to the workspace file'}`,
    `Client ID:               ${state.clientId ?? ''}`,
    `Client secret:           ${secretTexts[state.secret]}${state.secretSetAt === null ? '' : ` (${state.secretSetAt})`}`,
    `Redirect URI:            ${state.callbackUrl}`,
    `Back-channel logout URI: ${state.backchannelLogoutUrl}`,
  ].join('\n')
