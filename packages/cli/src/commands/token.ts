import type { Command } from 'commander'
import { defineCommand, option } from '#command-line/define'
import type { Globals } from '#command-line/globals'
import { inspect } from '#commands/token-inspect'
import { withAccount } from '#connection/account-options'
import { type AccountOptions, connect } from '#connection/connect'
import { print } from '#terminal/output'

interface Options extends Globals, AccountOptions {
  audience?: string
}

export const token = (): Command =>
  withAccount(
    defineCommand(
      'token',
      'Print an access token.',
      'querent token --client-id CLIENT_ID --client-secret-stdin < secret.txt',
      'curl -H "Authorization: Bearer $(querent token)" http://127.0.0.1:4000/4/dictionary/api/dictionary/',
    ),
  )
    .addOption(option('--audience <url>', 'audience of the token (default: the query service)'))
    .addCommand(inspect())
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const { tokenFor } = await connect(options, options)
      const accessToken = await tokenFor(options.audience)()
      print(options, { json: { accessToken }, text: accessToken })
    })
