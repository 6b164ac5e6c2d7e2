import { operations } from '@querent/contract/manage'
import type { Command } from 'commander'
import { defineCommand, defineGroup, option } from '#command-line/define'
import { durationParser } from '#command-line/duration'
import type { Globals } from '#command-line/globals'
import { connect } from '#connection/connect'
import { print } from '#terminal/output'

export const secret = (): Command =>
  defineGroup(
    'secret',
    'Manage the secrets of an account. To rotate without an outage, add the new one, then remove the old one.',
    [add(), remove()],
  )

const add = (): Command =>
  defineCommand(
    'add',
    'Add a Client Secret. It is shown only once.',
    'querent s2s secret add dictionary CLIENT_ID --expires 90d',
  )
    .argument('<workspace>')
    .argument('<client-id>')
    .addOption(
      option('--expires <time>', 'lifetime: 12h, 90d (default: no expiry)').argParser(
        durationParser(operations.addSecret.input.properties.expiresInSeconds),
      ),
    )
    .action(async (workspace: string, clientId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals & { expires?: number }>()
      const { management } = await connect(options)
      const created = await management.call('addSecret', {
        params: { workspace, clientId },
        input: options.expires === undefined ? {} : { expiresInSeconds: options.expires },
      })
      print(options, {
        json: created,
        text: `Client ID:     ${created.clientId}\nClient Secret: ${created.clientSecret}   (shown only once: save it now)\nSecret ID:     ${created.secretId}`,
      })
    })

const remove = (): Command =>
  defineCommand(
    'remove',
    'Remove a Client Secret, at once.',
    'querent s2s secret remove dictionary CLIENT_ID SECRET_ID',
  )
    .argument('<workspace>')
    .argument('<client-id>')
    .argument('<secret-id>')
    .action(async (workspace: string, clientId: string, secretId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      await management.call('removeSecret', { params: { workspace, clientId, secretId } })
      print(options, {
        json: { workspace, clientId, secretId, removed: true },
        text: `Removed the secret ${secretId} of ${clientId}.`,
      })
    })
