import { type Command, CommanderError } from 'commander'
import { describeFailure, isWrongUsage } from '#command-line/failure'
import { failed, print } from '#terminal/output'
import { typedAs } from './command-line/environment.ts'
import { program } from './program.ts'

/** Runs one command line. Gives the exit code: 0 done, 1 failed, 2 wrong usage. */
export const run = async (args: string[]): Promise<0 | 1 | 2> => {
  // Of settings too: who writes `QUERENT_X=` means to give none.
  for (const [name, value] of Object.entries(process.env))
    if (name.startsWith('QUERENT_') && value === '') delete process.env[name]
  let called: Command | undefined
  const asked = args[0] === 'help' ? args.slice(1) : args
  const root = await program(asked, command => {
    called = command
  })
  try {
    // By commander's own way --version would be text.
    if (
      asked.includes('--json') &&
      asked.every(arg => ['-V', '--version', '--json'].includes(arg)) &&
      asked.length > 1
    ) {
      print({ json: true }, { json: { version: root.version() }, text: '' })
      return 0
    }
    // `help` is --help, but of a command that there is.
    const isKnown = asked.length === 0 || root.commands.some(command => command.name() === asked[0])
    await root.parseAsync(args !== asked && isKnown ? [...asked, '--help'] : asked, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0
      const reason = error.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ')
      failed([`${reason.replace(/\.$/, '')}: see its --help`])
      return 2
    }
    failed(describeFailure(error, root.opts(), path => typedAs(called, path)))
    return isWrongUsage(error) ? 2 : 1
  }
}
