/** Starts third-party programs: caches their files in the user's cache folder, finds a free port, and waits until they answer. */
import { type ExecFileOptions, execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Pinned } from '#bench/http/pinned'

/** A program that a peer needs is missing on this machine. Results may contain the message, so it names nothing of the machine. */
export class MissingProgram extends Error {}

const execute = promisify(execFile)

/** Runs a program to its end. Throws if it fails, with its standard error, or {@link MissingProgram} if it does not exist. */
export const run = async (
  program: string,
  args: readonly string[],
  options: ExecFileOptions = {},
): Promise<{ stdout: string; stderr: string }> => {
  try {
    return await execute(program, args, { ...options, encoding: 'utf8' })
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    throw isMissing ? new MissingProgram(`${program} is not installed`) : error
  }
}

const pollMs = 250

/** Returns a folder of that name outside the checkout. `make` fills it if it is missing. A failed attempt is not kept. */
export const cachedFolder = async (
  name: string,
  make: (folder: string) => Promise<void>,
): Promise<string> => {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache')
  const folder = join(cache, 'querent', name)
  if (existsSync(folder)) return folder
  await mkdir(dirname(folder), { recursive: true })
  const making = await mkdtemp(`${folder}-`)
  try {
    await make(making)
    await rename(making, folder).catch(error => {
      // Another process has created it in the meantime.
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(making, { recursive: true, force: true })
  }
  return folder
}

/**
 * Returns a free port of 127.0.0.1. The system gives it to nobody else for a while, because a closed connection leaves it in TIME-WAIT (RFC
 * 9293, section 3.6.1). A program that binds it by number gets it.
 */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const client = connect(address.port, '127.0.0.1').resume()
  // The arguments of the connection event.
  const [connection] = (await once(server, 'connection')) as [Socket]
  connection.resume().end()
  await Promise.all([once(connection, 'close'), once(client, 'close')])
  server.close()
  await once(server, 'close')
  return address.port
}

/** Resolves when the address answers with 200. Throws if the process exits before, or it takes longer than `msMax`. */
export const untilAnswers = async (url: string, pinned: Pinned, msMax: number): Promise<void> => {
  const givingUpAt = performance.now() + msMax
  // A program that is not Node.js sends no message, so this only rejects, with the program's output, after it has exited.
  const exitFailure = pinned.message<never>()
  while (
    !(await fetch(url).then(
      reply => reply.ok,
      () => false,
    ))
  ) {
    await Promise.race([exitFailure, wait(pollMs)])
    if (performance.now() > givingUpAt) throw new Error(`${url} did not answer within ${msMax / 1000} s`)
  }
}

/** Sends a POST to an HTTP API. Throws for error replies. */
export const send = async (url: string, token: string | undefined, value: object): Promise<void> => {
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(value) })
  if (!reply.ok) throw new Error(`${url} answered ${reply.status}: ${await reply.text()}`)
}
