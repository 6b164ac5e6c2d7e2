import { operations } from '@querent/contract/manage'
import type { Command } from 'commander'
import { define, group, option } from '#command-line/define'
import { secondsWithin } from '#command-line/duration'
import type { Globals } from '#command-line/globals'
import { connect } from '#connection/connect'
import { print } from '#terminal/output'

export const secret = (): Command =>
  group('secret', 'Secrets of an account: add the new one, then remove the old one, without an outage.', [
    add(),
    remove(),
  ])

const add = (): Command =>
  define(
    'add',
    'Make one more Client Secret; it is shown this once.',
    'querent s2s secret add dictionary CLIENT_ID --expires 90d',
  )
    .argument('<workspace>')
    .argument('<client-id>')
    .addOption(
      option('--expires <time>', 'until when it is good: 12h, 90d (default: for ever)').argParser(
        secondsWithin(operations.addSecret.input.properties.expiresInSeconds),
      ),
    )
    .action(async (workspace: string, clientId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals & { expires?: number }>()
      const { management } = await connect(options)
      const made = await management.call('addSecret', {
        params: { workspace, clientId },
        input: options.expires === undefined ? {} : { expiresInSeconds: options.expires },
      })
      print(options, {
        json: made,
        text: `Client ID:     ${made.clientId}\nClient Secret: ${made.clientSecret}   (shown this once: keep it now)\nSecret ID:     ${made.secretId}`,
      })
    })

const remove = (): Command =>
  define(
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
        text: `The secret ${secretId} of ${clientId} is removed.`,
      })
    })
