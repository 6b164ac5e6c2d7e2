/** What went wrong, in the words for the person at the terminal. */
import { type Globals, quoteArgument } from './globals.ts'
import { adviseForeignReply, adviseUnreachable } from './unreachable.ts'

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

/**
 * What was typed: by its look, because a server refused it as input, or because it names a storage of a later version or an address that
 * is not there. To do it again is of no use, so who supervises `querent serve` does not start it again.
 */
export const isWrongUsage = (error: unknown): boolean =>
  error instanceof UsageError || isBadInput(error) || isOfNoUse(error)

/** By its code, so that `--help` loads no server. */
const isOfNoUse = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'later-version' || error.code === 'wrong-usage')

/** The server's own error or the client's: both have the contract's code. By its members, so that `--help` loads neither. */
const isBadInput = (error: unknown): error is Error & { errors?: unknown } =>
  error instanceof Error && 'code' in error && error.code === 'bad-parameter'

/** The lines for stderr. `typedAs` names the argument or option that gave a value of a request. */
export const describeFailure = (
  error: unknown,
  globals: Globals,
  typedAs: (path: string) => string | undefined,
): string[] => {
  if (error instanceof CommandError) return error.lines
  if (!(error instanceof Error)) return [String(error)]
  if (isBadInput(error)) return describeInput(error, typedAs)
  // What Node's fetch says of ports that no browser asks either (https://fetch.spec.whatwg.org/#port-blocking).
  if (error.name === 'UnreachableError' && error.message.endsWith('(bad port)'))
    return [`${error.message.split(' ')[0]} cannot be asked: its port is reserved for another protocol`]
  // By name, so that `--help` does not load the client.
  if (error.name === 'UnreachableError') {
    const advice = 'reason' in error ? adviseUnreachable(String(error.reason)) : undefined
    return [`${error.message}: ${advice ?? howToStart(globals)}`]
  }
  if (error.name === 'ApiError') return [describeReply(error)]
  if (error.name === 'UnexpectedReplyError')
    return [`${error.message}; check the address, and where the proxy passes requests on to`]
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

const describeInput = (
  { message, errors }: Error & { errors?: unknown },
  typedAs: (path: string) => string | undefined,
): string[] => {
  const places = Array.isArray(errors) ? errors.filter(isPlace) : []
  const named = places.flatMap(place => {
    const name = typedAs(place.path)
    return name === undefined ? [] : [`${name}: ${place.message}`]
  })
  const all = named.length > 0 && named.length === places.length ? named : [message]
  return [all.join('; ').replace(/\s*\n\s*/g, ' ')]
}

const isPlace = (found: unknown): found is { path: string; message: string } =>
  typeof found === 'object' &&
  found !== null &&
  'path' in found &&
  typeof found.path === 'string' &&
  'message' in found &&
  typeof found.message === 'string'

const describeReply = (error: Error): string => {
  if ('code' in error && error.code === 'unknown' && 'status' in error)
    return `${error.message}, not as Querent does: ${adviseForeignReply(Number(error.status))}`
  const id =
    'requestId' in error && error.requestId !== undefined ? `, request ${String(error.requestId)}` : ''
  const code = 'code' in error ? String(error.code) : 'unknown'
  return `${error.message.replace(/\s*\n\s*/g, ' ')} (${code}${id})`
}
