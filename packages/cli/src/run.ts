import { type Command, CommanderError } from 'commander'
import { describeFailure, isWrongUsage } from '#command-line/failure'
import { print, printFailure } from '#terminal/output'
import { inputName } from './command-line/environment.ts'
import { program } from './program.ts'

/** Runs one command line. Returns the exit code: 0 done, 1 failed, 2 wrong usage. */
export const run = async (args: string[]): Promise<0 | 1 | 2> => {
  // An empty variable (`QUERENT_X=`) counts as not set, for settings too.
  for (const [name, value] of Object.entries(process.env))
    if (name.startsWith('QUERENT_') && value === '') delete process.env[name]
  let activeCommand: Command | undefined
  const commandArgs = args[0] === 'help' ? args.slice(1) : args
  const root = await program(commandArgs, command => {
    activeCommand = command
  })
  try {
    // Commander would print --version as text.
    if (
      commandArgs.includes('--json') &&
      commandArgs.every(arg => ['-V', '--version', '--json'].includes(arg)) &&
      commandArgs.length > 1
    ) {
      print({ json: true }, { json: { version: root.version() }, text: '' })
      return 0
    }
    // `help` works like --help, but only for commands that exist.
    const isKnown =
      commandArgs.length === 0 || root.commands.some(command => command.name() === commandArgs[0])
    await root.parseAsync(args !== commandArgs && isKnown ? [...commandArgs, '--help'] : commandArgs, {
      from: 'user',
    })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0
      const reason = error.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ')
      printFailure([`${reason.replace(/\.$/, '')}: see --help`])
      return 2
    }
    printFailure(describeFailure(error, root.opts(), path => inputName(activeCommand, path)))
    return isWrongUsage(error) ? 2 : 1
  }
}
