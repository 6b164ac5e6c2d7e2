import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CommandError, defaultData, howToStart } from '#command-line/failure'
import { type Globals, quoteArgument } from '#command-line/globals'
import { note } from '#terminal/output'
import { absent, lookAt } from './stat.ts'

export interface Addresses {
  authUrl: string
  baseUrl: string
  /** Where it listens on this machine; absent: it does not, or is of an earlier version. */
  listening?: { authUrl?: string; baseUrl?: string }
}
/** What a running server writes into its data folder, with mode 0600: where it is, and an operator's credential. */
export interface Operator extends Addresses {
  clientId: string
  clientSecret: string
}

/** So long a server may take that has the folder already. */
const startsWithinMs = 10_000
/** So long one may take to have it. */
const beginsWithinMs = 3000
/** What a data folder has once it was made, or was used. */
const signsOfLife = ['key', 'querent.db', 'lock']

/**
 * Waits while the server of a data folder that has been made may be starting: `querent serve … &` is often followed at once by another
 * command. Throws {@link CommandError} when none is ready in time, and for a folder that this account may not look at.
 */
export const untilServed = async (globals: Globals): Promise<void> => {
  const folder = globals.data ?? defaultData
  const lock = join(folder, 'lock')
  const isServed = async () => (await lookAt(join(folder, 'operator.json'))) !== undefined
  if (await isServed()) return
  const found = await Promise.all(signsOfLife.map(name => lookAt(join(folder, name))))
  if (found.every(each => each === undefined)) return
  if (process.stderr.isTTY) note(`no server is running on ${folder} yet: waiting for one that starts`)
  const beganAtMs = Date.now()
  const isInTime = async () => {
    const waitedMs = Date.now() - beganAtMs
    return waitedMs < beginsWithinMs || (waitedMs < startsWithinMs && (await isHeld(lock)) !== false)
  }
  while (await isInTime()) {
    await sleep(100)
    if (await isServed()) return
  }
  const waitedSeconds = Math.floor((Date.now() - beganAtMs) / 1000)
  if (await isHeld(lock))
    throw new CommandError(
      `a server has ${folder}, and was not ready within ${waitedSeconds} s: see what it says, and try again when it is ready`,
    )
  throw new CommandError(
    `no server is running on ${folder}, nor was one ready within ${waitedSeconds} s: ${howToStart(globals)}`,
  )
}

/** Whether a process has the lock: to try for it would shut a server out that starts. Undefined where this system does not tell. */
const isHeld = async (file: string): Promise<boolean | undefined> => {
  const found = await lookAt(file)
  if (found === undefined) return false
  // Lines such as `1: POSIX  ADVISORY  WRITE 4711 fe:00:9977912 0 EOF`, the inode after the device (proc_locks(5)).
  const locks = await readFile('/proc/locks', 'utf8').catch(() => undefined)
  return locks?.includes(`:${found.ino} `)
}

/** The server of the data folder takes no commands. */
export class NoOperatorError extends CommandError {}

/**
 * Reads `operator.json` of the data folder. Throws {@link CommandError} that says what to start, {@link NoOperatorError} for a server
 * that only answers queries.
 */
export const readOperator = async (globals: Globals): Promise<Operator> => {
  const found = await readAddresses(globals)
  if (isOperator(found)) return found
  throw new NoOperatorError(
    `the server on ${globals.data ?? defaultData} only answers queries: run this on a machine of the authorization server ${found.authUrl}, with --data`,
  )
}

/** The same of any server, with or without a credential. */
export const readAddresses = async (globals: Globals): Promise<Addresses> => {
  const folder = globals.data ?? defaultData
  const file = join(folder, 'operator.json')
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    absent(file, error)
    if (await lookAt(folder))
      throw new CommandError(`no server is running on ${folder}: ${howToStart(globals)}`)
    throw new CommandError(
      `there is no data folder ${folder}: name another with --data, or make it with \`querent init --data ${quoteArgument(folder)} --admin EMAIL\``,
    )
  }
  const found: unknown = parsed(text)
  if (hasTexts(found, ['authUrl', 'baseUrl'])) return found
  throw new CommandError(
    `${file} is damaged: restart the server, which writes it anew (${howToStart(globals)})`,
  )
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isOperator = (found: Addresses): found is Operator => hasTexts(found, ['clientId', 'clientSecret'])

const hasTexts = <Name extends string>(
  found: unknown,
  names: readonly Name[],
): found is Record<Name, string> =>
  typeof found === 'object' &&
  found !== null &&
  names.every(name => typeof Object.entries(found).find(([key]) => key === name)?.[1] === 'string')
