import { type Command, CommanderError } from 'commander'
import { describeFailure, isWrongUsage } from '#command-line/failure'
import { typedAs } from '#command-line/typed'
import { failed } from '#terminal/output'
import { program } from './program.ts'

/** Runs one command line. Gives the exit code: 0 done, 1 failed, 2 wrong usage. */
export const run = async (args: string[]): Promise<0 | 1 | 2> => {
  // Of settings too: who writes `QUERENT_X=` means to give none.
  for (const [name, value] of Object.entries(process.env))
    if (name.startsWith('QUERENT_') && value === '') delete process.env[name]
  let called: Command | undefined
  const root = await program(args, command => {
    called = command
  })
  try {
    await root.parseAsync(args, { from: 'user' })
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
