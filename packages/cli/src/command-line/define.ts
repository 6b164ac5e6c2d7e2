/** Constructors of commands and options, so that all of them behave alike. */
import { didYouMean } from '@querent/contract/nearest-names'
import { type Argument, Command, InvalidArgumentError, Option } from 'commander'
import { isOff, registerVariable } from './environment.ts'
import { UsageError } from './failure.ts'

const firstExamples = new WeakMap<Command, string>()

/** Creates a command that throws its errors and shows an example at the end of its help. */
export const defineCommand = (name: string, summary: string, ...examples: string[]): Command => {
  const command = new Command(name)
    .description(summary)
    .exitOverride(error => {
      throw error.code === 'commander.missingArgument' ? new UsageError(describeMissing(command)) : error
    })
    .configureOutput({ outputError: () => {} })
    .configureHelp({ showGlobalOptions: true })
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
  const [first] = examples
  if (first !== undefined) firstExamples.set(command, first)
  return withExamples(command, examples)
}

/** Names all missing arguments, and shows the whole command with an example, because the order tells which one is forgotten. */
const describeMissing = (command: Command): string => {
  const names = command.registeredArguments.map(argument => ({ ...argument, text: formatArgument(argument) }))
  const missing = names
    .filter(({ required }, index) => required && index >= command.args.length)
    .map(({ text }) => text)
  const usage = [getPath(command), ...names.map(({ text }) => text)].join(' ')
  const example = firstExamples.get(command)
  const list = missing.join(' and ')
  return `${list} ${missing.length === 1 ? 'is' : 'are'} missing. Usage: ${usage}${example === undefined ? '' : `. Example: ${example}`}`
}

const formatArgument = (argument: Argument): string => {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`
  return argument.required ? `<${name}>` : `[${name}]`
}

const withExamples = (command: Command, examples: readonly string[]): Command => {
  const title = examples.length > 1 ? 'Examples:' : 'Example:'
  return examples.length === 0
    ? command
    : command.addHelpText('after', `\n${[title, ...examples.map(example => `  ${example}`)].join('\n')}`)
}

/** Creates a command that only holds subcommands, with an example of each in its help. It lists them if none or an unknown one is named. */
export const defineGroup = (name: string, summary: string, commands: Command[]): Command => {
  const parent = defineCommand(name, summary)
  for (const command of commands) parent.addCommand(command)
  withExamples(
    parent,
    commands.flatMap(command => firstExamples.get(command) ?? []),
  )
  return asGroup(parent)
}

/** Rejects an unknown subcommand and suggests the nearest name. */
export const asGroup = (command: Command): Command =>
  command.allowExcessArguments().action(() => {
    const names = command.commands.map(subcommand => subcommand.name())
    const listed = command
      .createHelp()
      .visibleCommands(command)
      .map(subcommand => subcommand.name())
    const [unknownName] = command.args
    const path = getPath(command)
    throw new UsageError(
      unknownName === undefined
        ? `\`${path}\` needs a command: ${listed.join(', ')}`
        : `there is no command \`${path} ${unknownName}\`${didYouMean(unknownName, names) || '.'} See \`${path} --help\``,
    )
  })

/** Returns the names from the program to the command, such as `querent s2s secret`. */
const getPath = (command: Command): string =>
  command.parent ? `${getPath(command.parent)} ${command.name()}` : command.name()

/**
 * Creates an option that the environment can set too: `--dry-run` is also QUERENT_DRY_RUN, unless `variable` gives another name. For an
 * option without a value, `false` and `0` mean that it is not set. `checkArguments` rejects values other than these, `true` and `1`.
 */
export const option = (
  flags: string,
  description: string,
  variable = `QUERENT_${new Option(flags).name().replaceAll('-', '_').toUpperCase()}`,
): Option => {
  const created = new Option(flags, description)
  registerVariable(created, variable)
  if (created.isBoolean() && isOff(variable)) created.description += ` (env: ${variable})`
  else created.env(variable)
  return created
}

/** An option that may be repeated. In the environment, spaces separate its values. */
export const repeatableOption = (flags: string, description: string, allowed?: readonly string[]): Option =>
  option(
    flags,
    `${description}${allowed ? `: ${allowed.join(', ')}` : ''}; may be repeated, in the environment separated by spaces`,
  ).argParser((text: string, previous: string[] | undefined) => {
    const values = text.split(/\s+/).filter(value => value !== '')
    const bad = values.find(value => allowed !== undefined && !allowed.includes(value))
    if (bad !== undefined || values.length === 0)
      throw new InvalidArgumentError(`Allowed are ${allowed?.join(', ') ?? 'values that are not empty'}.`)
    return [...(previous ?? []), ...values]
  })

/** An option that takes a whole number within bounds. */
export const integerOption = (flags: string, description: string, minimum: number, maximum: number): Option =>
  option(flags, description).argParser((text: string) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= minimum && value <= maximum))
      throw new InvalidArgumentError(`It is not a whole number from ${minimum} to ${maximum}.`)
    return value
  })
