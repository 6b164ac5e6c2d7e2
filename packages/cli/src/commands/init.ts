import { isEmail } from '@querent/contract/email-address'
import { Email } from '@querent/contract/manage'
import { settings } from '@querent/server/config/settings'
import type { Command } from 'commander'
import { defineCommand, option } from '#command-line/define'
import { UsageError } from '#command-line/failure'
import type { Globals } from '#command-line/globals'
import { readSettings } from '#connection/server-settings'
import { startCommand } from '#connection/start-command'
import { print } from '#terminal/output'
import { readSecret } from '#terminal/stdin'

// TypeBox keeps the pattern in the schema but not in its type.
const emailPattern = 'pattern' in Email && typeof Email.pattern === 'string' ? Email.pattern : ''

interface Options extends Globals {
  admin?: string
  passwordStdin?: true
  config?: string
  storage?: string
}

export const init = (): Command =>
  defineCommand(
    'init',
    'Create a new data folder and its first operator.',
    'querent init --data querent-data --admin ada@example.org',
    'querent init --data querent-data --admin ada@example.org --password-stdin < password.txt',
  )
    .addOption(option('--admin <email>', 'e-mail address of the first operator'))
    .addOption(
      option(
        '--password-stdin',
        "read the operator's password from standard input; without it, the first start prints a link to choose one",
      ),
    )
    .addOption(option('--config <file>', 'configuration file, YAML or JSON'))
    // The settings table reads the environment itself.
    .option(
      settings.storage.flag ?? '',
      `${settings.storage.description} (default: ${settings.storage.defaultText})`,
    )
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const { admin: email } = options
      if (email === undefined)
        throw new UsageError('--admin is missing: give the e-mail address of the first operator')
      if (!new RegExp(emailPattern).test(email) || !isEmail(email))
        throw new UsageError(`--admin: "${email}" is not an e-mail address`)
      const read = await readSettings(options)
      const { config } = read
      const password = options.passwordStdin ? await readSecret('password') : undefined
      const { initDataFolder } = await import('@querent/server/main')
      await initDataFolder(config, password === undefined ? { email } : { email, password })
      print(options, {
        json: { data: config.data, admin: email },
        text: [
          `Created ${config.data} with the operator ${email}. ${startCommand(read, options.config)}`,
          ...(password === undefined
            ? [`They print a link that works once, where ${email} chooses a password.`]
            : []),
        ].join('\n'),
      })
    })
