/** What went wrong, in the words for the person at the terminal. */
import { type Globals, quoteArgument } from './globals.ts'

/** A command that could not be done: exit code 1. The lines say what happened and what to do; more than one only for lists of places. */
export class CommandError extends Error {
  readonly lines: string[]

  constructor(...lines: string[]) {
    super(lines.join('\n'))
    this.lines = lines
  }
}

/** A command line that cannot be understood: exit code 2. */
export class UsageError extends CommandError {}

/** The lines for stderr. */
export const describeFailure = (error: unknown, globals: Globals): string[] => {
  if (error instanceof CommandError) return error.lines
  if (!(error instanceof Error)) return [String(error)]
  // By name, so that `--help` does not load the client.
  if (error.name === 'UnreachableError') return [`${error.message}: ${howToStart(globals)}`]
  if (error.name === 'ApiError') return [describeReply(error)]
  const code = 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE' && 'port' in error)
    return [
      `port ${String(error.port)} is in use by another program: stop it, or choose others with --port and --auth-port (0: any free one)`,
    ]
  return [error.message.replace(/\s*\n\s*/g, ' ')]
}

export const howToStart = (globals: Globals): string =>
  globals.server === undefined
    ? `start it with \`querent serve --data ${quoteArgument(globals.data ?? defaultData)}\``
    : 'is --server right, and is the server running?'

/** Folder of commands that are given none; visible, so that one finds it. */
export const defaultData = 'querent-data'

const describeReply = (error: Error): string => {
  const id =
    'requestId' in error && error.requestId !== undefined ? `, request ${String(error.requestId)}` : ''
  const code = 'code' in error ? String(error.code) : 'unknown'
  return `${error.message.replace(/\s*\n\s*/g, ' ')} (${code}${id})`
}
