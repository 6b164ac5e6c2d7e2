/** Errors of commands, and their text for the person at the terminal. */
import { type Globals, quoteArgument } from './globals.ts'
import { adviseForeignReply, adviseUnreachable } from './unreachable.ts'

/** A command failed: exit code 1. The lines say what happened and what to do. Only lists of places take more than one line. */
export class CommandError extends Error {
  readonly lines: string[]

  constructor(...lines: string[]) {
    super(lines.join('\n'))
    this.lines = lines
  }
}

/** The command line is wrong: exit code 2. */
export class UsageError extends CommandError {}

/**
 * Returns whether the command line is at fault: it has the wrong form, a server rejected it as input, it names a storage of a later
 * version, or an address that does not exist. Repeating the command cannot help, so a supervisor should not restart `querent serve`.
 */
export const isWrongUsage = (error: unknown): boolean =>
  error instanceof UsageError || isBadInput(error) || isPermanent(error)

/** Compares the code instead of the class, so that `--help` does not load the server. */
const isPermanent = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'later-version' || error.code === 'wrong-usage')

/** Errors of the server and of the client share the contract's code. Comparing it keeps `--help` from loading either package. */
const isBadInput = (error: unknown): error is Error & { errors?: unknown } =>
  error instanceof Error && 'code' in error && error.code === 'bad-parameter'

/** Returns the lines for stderr. `inputName` names the argument or option that gave a value of a request. */
export const describeFailure = (
  error: unknown,
  globals: Globals,
  inputName: (path: string) => string | undefined,
): string[] => {
  if (error instanceof CommandError) return error.lines
  if (!(error instanceof Error)) return [String(error)]
  if (isBadInput(error)) return describeInput(error, inputName)
  // Node's fetch reports this for ports that browsers block too (https://fetch.spec.whatwg.org/#port-blocking).
  if (error.name === 'UnreachableError' && error.message.endsWith('(bad port)'))
    return [`${error.message.split(' ')[0]} cannot be called: its port is reserved for another protocol`]
  // Comparing names keeps `--help` from loading the client.
  if (error.name === 'UnreachableError') {
    const advice = 'reason' in error ? adviseUnreachable(String(error.reason)) : undefined
    return [`${error.message}: ${advice ?? startAdvice(globals)}`]
  }
  if (error.name === 'ApiError') return [describeReply(error)]
  if (error.name === 'UnexpectedReplyError')
    return [`${error.message}; check the address, and where the proxy forwards requests`]
  const code = 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE' && 'port' in error)
    return [
      `port ${String(error.port)} is in use by another program: stop it, or choose other ports with --port and --auth-port (0: any free port)`,
    ]
  return [error.message.replace(/\s*\n\s*/g, ' ')]
}

export const startAdvice = (globals: Globals): string =>
  globals.server === undefined
    ? `start it with \`querent serve --data ${quoteArgument(globals.data ?? defaultData)}\``
    : 'is --server right, and is the server running?'

/** Data folder of commands without `--data`. It is not hidden, so that people find it. */
export const defaultData = 'querent-data'

const describeInput = (
  { message, errors }: Error & { errors?: unknown },
  inputName: (path: string) => string | undefined,
): string[] => {
  const places = Array.isArray(errors) ? errors.filter(isPlace) : []
  const lines = places.flatMap(place => {
    const name = inputName(place.path)
    return name === undefined ? [] : [`${name}: ${place.message}`]
  })
  const parts = lines.length > 0 && lines.length === places.length ? lines : [message]
  return [parts.join('; ').replace(/\s*\n\s*/g, ' ')]
}

const isPlace = (value: unknown): value is { path: string; message: string } =>
  typeof value === 'object' &&
  value !== null &&
  'path' in value &&
  typeof value.path === 'string' &&
  'message' in value &&
  typeof value.message === 'string'

const describeReply = (error: Error): string => {
  if ('code' in error && error.code === 'unknown' && 'status' in error)
    return `${error.message}, and the reply is not from Querent: ${adviseForeignReply(Number(error.status))}`
  const id =
    'requestId' in error && error.requestId !== undefined ? `, request ${String(error.requestId)}` : ''
  const code = 'code' in error ? String(error.code) : 'unknown'
  return `${error.message.replace(/\s*\n\s*/g, ' ')} (${code}${id})`
}
