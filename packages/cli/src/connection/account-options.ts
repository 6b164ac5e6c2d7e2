import type { Command } from 'commander'
import { option } from '#command-line/define'

/** Adds the options of commands that a System-to-System account may run with its own credential. */
export const withAccount = (command: Command): Command =>
  command
    .addOption(option('--client-id <id>', 'Client ID of an account, instead of the operator'))
    .addOption(
      option(
        '--client-secret-stdin',
        'read the Client Secret of the account from standard input (or set QUERENT_CLIENT_SECRET)',
      ),
    )
