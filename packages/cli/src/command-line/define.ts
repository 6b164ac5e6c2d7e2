/** How commands and options are made, so that all of them behave alike. */
import { didYouMean } from '@querent/contract/nearest-names'
import { Command, InvalidArgumentError, Option } from 'commander'
import { isOff, noteVariable } from './environment.ts'
import { UsageError } from './failure.ts'

const firstExamples = new WeakMap<Command, string>()

/** A command whose errors are thrown, with an example at the end of its help. */
export const define = (name: string, summary: string, ...examples: string[]): Command => {
  const command = new Command(name)
    .description(summary)
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .configureHelp({ showGlobalOptions: true })
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
  const [first] = examples
  if (first !== undefined) firstExamples.set(command, first)
  return withExamples(command, examples)
}

const withExamples = (command: Command, examples: readonly string[]): Command => {
  const title = examples.length > 1 ? 'Examples:' : 'Example:'
  return examples.length === 0
    ? command
    : command.addHelpText('after', `\n${[title, ...examples.map(example => `  ${example}`)].join('\n')}`)
}

/** A command that only holds others, with an example of each in its help: says which when none or a wrong one is named. */
export const group = (
  name: string,
  summary: string,
  commands: Command[],
  laterNames: string[] = [],
): Command => {
  const all = define(name, summary)
  for (const command of commands) all.addCommand(command)
  withExamples(
    all,
    commands.flatMap(command => firstExamples.get(command) ?? []),
  )
  for (const later of laterNames) all.addCommand(laterCommand(`${name} ${later}`), { hidden: true })
  return asGroup(all)
}

/** Refuses what is no command of it, with the nearest one. */
export const asGroup = (command: Command): Command =>
  command.allowExcessArguments().action(() => {
    const names = command.commands.map(each => each.name())
    const listed = command
      .createHelp()
      .visibleCommands(command)
      .map(each => each.name())
    const [found] = command.args
    const path = command.parent ? `querent ${command.name()}` : 'querent'
    throw new UsageError(
      found === undefined
        ? `\`${path}\` needs a command: ${listed.join(', ')}`
        : `there is no command \`${path} ${found}\`${didYouMean(found, names) || '.'} See \`${path} --help\``,
    )
  })

/** A command that is specified and not built yet: refused by its name. */
export const laterCommand = (path: string): Command =>
  define(path.split(' ').at(-1) ?? path, 'comes in a later version')
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw new UsageError(`\`querent ${path}\` comes in a later version`)
    })

/**
 * An option that also comes from the environment: `--dry-run` from QUERENT_DRY_RUN, unless `variable` names another. One without a
 * value is left out by `false` and `0` there (`checkTyped` refuses what is neither these nor `true` and `1`).
 */
export const option = (
  flags: string,
  description: string,
  variable = `QUERENT_${new Option(flags).name().replaceAll('-', '_').toUpperCase()}`,
): Option => {
  const made = new Option(flags, description)
  noteVariable(made, variable)
  if (made.isBoolean() && isOff(variable)) made.description += ` (env: ${variable})`
  else made.env(variable)
  return made
}

/** An option that repeats; in the environment its values stand apart by spaces. */
export const repeated = (flags: string, description: string, allowed?: readonly string[]): Option =>
  option(
    flags,
    `${description}${allowed ? `: ${allowed.join(', ')}` : ''}; repeats, in the environment separated by spaces`,
  ).argParser((text: string, before: string[] | undefined) => {
    const values = text.split(/\s+/).filter(value => value !== '')
    const bad = values.find(value => allowed !== undefined && !allowed.includes(value))
    if (bad !== undefined || values.length === 0)
      throw new InvalidArgumentError(`Allowed are ${allowed?.join(', ') ?? 'texts that are not empty'}.`)
    return [...(before ?? []), ...values]
  })

/** A whole number within bounds. */
export const wholeNumber = (flags: string, description: string, least: number, most: number): Option =>
  option(flags, description).argParser((text: string) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= least && value <= most))
      throw new InvalidArgumentError(`It is not a whole number from ${least} to ${most}.`)
    return value
  })
