import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CommandError, defaultData, startAdvice } from '#command-line/failure'
import { type Globals, quoteArgument } from '#command-line/globals'
import { note } from '#terminal/output'
import { statIfPresent, undefinedIfAbsent } from './stat.ts'

export interface Addresses {
  authUrl: string
  baseUrl: string
  /** Addresses that it listens on; absent if it does not listen here, or in files of an earlier version. */
  listening?: { authUrl?: string; baseUrl?: string }
}
/** Content of `operator.json`, which a running server writes to its data folder with mode 0600: its addresses and an operator's credential. */
export interface Operator extends Addresses {
  clientId: string
  clientSecret: string
}

/** How long to wait for a server that holds the lock. */
const startTimeoutMs = 10_000
/** How long to wait for a server to take the lock. */
const lockTimeoutMs = 3000
/** A data folder has at least one of these files once it is created. */
const folderFiles = ['key', 'querent.db', 'lock']

/**
 * Waits while the server of an existing data folder may be starting, because scripts often run `querent serve … &` and then another
 * command. Throws {@link CommandError} if no server is ready in time, or if this account may not read the folder.
 */
export const awaitServer = async (globals: Globals): Promise<void> => {
  const folder = globals.data ?? defaultData
  const lock = join(folder, 'lock')
  const hasServer = async () => (await statIfPresent(join(folder, 'operator.json'))) !== undefined
  if (await hasServer()) return
  const files = await Promise.all(folderFiles.map(name => statIfPresent(join(folder, name))))
  if (files.every(file => file === undefined)) return
  if (process.stderr.isTTY) note(`no server is running on ${folder} yet: waiting for one to start`)
  const beganAtMs = Date.now()
  const isInTime = async () => {
    const waitedMs = Date.now() - beganAtMs
    return waitedMs < lockTimeoutMs || (waitedMs < startTimeoutMs && (await isHeld(lock)) !== false)
  }
  while (await isInTime()) {
    await sleep(100)
    if (await hasServer()) return
  }
  const waitedSeconds = Math.floor((Date.now() - beganAtMs) / 1000)
  if (await isHeld(lock))
    throw new CommandError(
      `a server uses ${folder} but was not ready within ${waitedSeconds} s: read its output, and try again when it is ready`,
    )
  throw new CommandError(
    `no server is running on ${folder}, and none became ready within ${waitedSeconds} s: ${startAdvice(globals)}`,
  )
}

/**
 * Returns whether a process holds the lock, or undefined if the system does not show locks. Trying to take it would keep a server from
 * starting.
 */
const isHeld = async (file: string): Promise<boolean | undefined> => {
  const lockFile = await statIfPresent(file)
  if (lockFile === undefined) return false
  // Lines such as `1: POSIX  ADVISORY  WRITE 4711 fe:00:9977912 0 EOF`, the inode after the device (proc_locks(5)).
  const locks = await readFile('/proc/locks', 'utf8').catch(() => undefined)
  return locks?.includes(`:${lockFile.ino} `)
}

/** The server of the data folder only answers queries, so it accepts no commands. */
export class NoOperatorError extends CommandError {}

/**
 * Reads `operator.json` of the data folder. Throws a {@link CommandError} that names the command to start, or {@link NoOperatorError} for
 * a server that only answers queries.
 */
export const readOperator = async (globals: Globals): Promise<Operator> => {
  const addresses = await readAddresses(globals)
  if (isOperator(addresses)) return addresses
  throw new NoOperatorError(
    `the server on ${globals.data ?? defaultData} only answers queries: run this on a machine of the authorization server ${addresses.authUrl}, with --data`,
  )
}

/** Reads the addresses in `operator.json`, with or without a credential. */
export const readAddresses = async (globals: Globals): Promise<Addresses> => {
  const folder = globals.data ?? defaultData
  const file = join(folder, 'operator.json')
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    undefinedIfAbsent(file, error)
    if (await statIfPresent(folder))
      throw new CommandError(`no server is running on ${folder}: ${startAdvice(globals)}`)
    throw new CommandError(
      `there is no data folder ${folder}: choose another with --data, or create it with \`querent init --data ${quoteArgument(folder)} --admin EMAIL\``,
    )
  }
  const content: unknown = parseJson(text)
  if (hasStrings(content, ['authUrl', 'baseUrl'])) return content
  throw new CommandError(
    `${file} is damaged: restart the server, which writes the file again (${startAdvice(globals)})`,
  )
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isOperator = (addresses: Addresses): addresses is Operator =>
  hasStrings(addresses, ['clientId', 'clientSecret'])

const hasStrings = <Name extends string>(
  value: unknown,
  names: readonly Name[],
): value is Record<Name, string> =>
  typeof value === 'object' &&
  value !== null &&
  names.every(name => typeof Object.entries(value).find(([key]) => key === name)?.[1] === 'string')
