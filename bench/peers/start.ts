/** What it takes to start a program that is not ours: its files in the user's cache folder, a free port, and to wait until it answers. */
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

/** What a peer needs and this machine does not have. Its message may stand in results: it names nothing of the machine. */
export class MissingProgram extends Error {}

const execute = promisify(execFile)

/** Runs a program to its end. Throws when it fails, with what it said on standard error, {@link MissingProgram} when there is none. */
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

/** The folder of that name, outside the checkout; `make` fills it when it is not there. What failed half-way is not kept. */
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
      // Another process has made it meanwhile.
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(making, { recursive: true, force: true })
  }
  return folder
}

/**
 * A free port of 127.0.0.1, which nobody is given for a while who asks for any: the end of a connection that closes first leaves its port
 * in TIME-WAIT (RFC 9293, section 3.6.1). Who asks for it by its number is given it.
 */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const client = connect(address.port, '127.0.0.1').resume()
  // What it is told of a connection.
  const [taken] = (await once(server, 'connection')) as [Socket]
  taken.resume().end()
  await Promise.all([once(taken, 'close'), once(client, 'close')])
  server.close()
  await once(server, 'close')
  return address.port
}

/** Resolves when the address answers 200. Throws when the process ends before, or takes longer than `msMax`. */
export const untilAnswers = async (url: string, pinned: Pinned, msMax: number): Promise<void> => {
  const givingUpAt = performance.now() + msMax
  // No message comes from a program that is not Node.js: this only fails, with what the process said, when it has ended.
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

/** Makes something through an HTTP API (POST). Throws for a reply that is no success. */
export const send = async (url: string, token: string | undefined, value: object): Promise<void> => {
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(value) })
  if (!reply.ok) throw new Error(`${url} answered ${reply.status}: ${await reply.text()}`)
}
