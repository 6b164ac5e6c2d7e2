/** Where `--data` and `--server` come from: the flag, else the environment, else the configuration file. */
import type { Command } from 'commander'
import { option } from './define.ts'

const takers = new WeakSet<Command>()

/** Lets a command, and those in it, read a configuration file, by QUERENT_CONFIG and by `--config` where that is free. */
export const takeConfigFile = (command: Command): void => {
  takers.add(command)
  for (const each of command.commands) takeConfigFile(each)
  const isGroup = command.commands.length > 0 && command.options.length === 0
  if (!isGroup && !command.options.some(({ long }) => long === '--config'))
    command.addOption(option('--config <file>', 'configuration file, of which `data` and `server` are read'))
}

/** Of two that both name a server, the one that counts more is obeyed. */
const ranks = ['config', 'env', 'cli']

/**
 * Fills in what the file says, which is read only where neither flag nor environment says where. Throws `UsageError`, and `CommandError`
 * for a file that cannot be read.
 */
export const settleConnection = async (root: Command, command: Command): Promise<void> => {
  if (!takers.has(command)) return
  const isGiven = ['data', 'server'].some(name => root.getOptionValue(name) !== undefined)
  const file = isGiven ? undefined : fileOf(command)
  if (file !== undefined) {
    const { readConnectionFile } = await import('#connection/server-settings')
    for (const [name, value] of Object.entries(await readConnectionFile(file)))
      root.setOptionValueWithSource(name, value, 'config')
  }
  const rank = (name: string) => ranks.indexOf(root.getOptionValueSource(name) ?? '')
  if (rank('data') > rank('server')) root.setOptionValue('server', undefined)
}

/** The `--config` of a search is another. */
const fileOf = (command: Command): string | undefined => {
  const own = command.options.find(({ long, envVar }) => long === '--config' && envVar === 'QUERENT_CONFIG')
  const given: unknown = own ? command.getOptionValue('config') : process.env.QUERENT_CONFIG
  return typeof given === 'string' ? given : undefined
}
