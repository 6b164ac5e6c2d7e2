/** Finds `--data` and `--server`: first in the flags, then in the environment, then in the configuration file. */
import type { Command } from 'commander'
import { option } from '#command-line/define'

const configReaders = new WeakSet<Command>()

/**
 * Lets a command and its subcommands read a configuration file. QUERENT_CONFIG names the file, and so does `--config` unless the command
 * uses that option for something else.
 */
export const acceptConfigFile = (command: Command): void => {
  configReaders.add(command)
  for (const subcommand of command.commands) acceptConfigFile(subcommand)
  const isGroup = command.commands.length > 0 && command.options.length === 0
  if (!isGroup && !command.options.some(({ long }) => long === '--config'))
    command.addOption(
      option('--config <file>', 'configuration file; only `data` and `server` are read from it'),
    )
}

/** If `--data` and `--server` both name a server, the later source in this list wins. */
const sourcesByPrecedence = ['config', 'env', 'cli']

/**
 * Fills in `data` and `server` from the configuration file, if neither flags nor environment give them. Throws `UsageError`, or
 * `CommandError` if the file cannot be read.
 */
export const resolveConnection = async (root: Command, command: Command): Promise<void> => {
  if (!configReaders.has(command)) return
  const isGiven = ['data', 'server'].some(name => root.getOptionValue(name) !== undefined)
  const file = isGiven ? undefined : findConfigFile(command)
  if (file !== undefined) {
    const { readConnectionFile } = await import('./server-settings.ts')
    for (const [name, value] of Object.entries(await readConnectionFile(file)))
      root.setOptionValueWithSource(name, value, 'config')
  }
  const precedence = (name: string) => sourcesByPrecedence.indexOf(root.getOptionValueSource(name) ?? '')
  if (precedence('data') > precedence('server')) root.setOptionValue('server', undefined)
}

/** The `--config` of `querent search` names a configuration of the workspace, not a file. */
const findConfigFile = (command: Command): string | undefined => {
  const configOption = command.options.find(
    ({ long, envVar }) => long === '--config' && envVar === 'QUERENT_CONFIG',
  )
  const path: unknown = configOption ? command.getOptionValue('config') : process.env.QUERENT_CONFIG
  return typeof path === 'string' ? path : undefined
}
