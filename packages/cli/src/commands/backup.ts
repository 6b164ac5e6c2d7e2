import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { open, readdir, rename, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { createGunzip } from 'node:zlib'
import type { Management } from '@querent/client/manage'
import type { MissingDocuments } from '@querent/contract/manage'
import type { Command } from 'commander'
import { defineCommand } from '#command-line/define'
import { CommandError } from '#command-line/failure'
import { createWriteError } from '#command-line/file-failure'
import type { Globals } from '#command-line/globals'
import { connect } from '#connection/connect'
import { describeWriteError, print, printFailure } from '#terminal/output'

export const backup = (): Command =>
  defineCommand(
    'backup',
    'Write all data of a running server to one file, for `querent restore`. Keep the file as secret as the data folder.',
    'querent backup querent-2026-11-21.backup',
    'querent backup - | gpg --encrypt --recipient backup@example.org > querent-2026-11-21.backup.gpg',
  )
    .argument('<file>', 'file to create (-: standard output)')
    .action(async (file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      if (file === '-') return writeToStdout((await connect(options)).management)
      refuseExisting(file)
      const { management } = await connect(options)
      const { bytes, missing } = await write(file, management.makeBackup())
      const complete = missing.length === 0
      print(options, {
        json: { file, bytes, complete, missing },
        text: `Wrote ${file}, ${bytes.toLocaleString('en')} bytes.`,
      })
      if (!complete) throw incompleteError(missing)
    })

/** The file exists, but exit code 0 would make schedulers delete earlier, complete backups. */
const incompleteError = (missing: readonly MissingDocuments[]): CommandError =>
  new CommandError(
    `the backup is incomplete: the documents of ${describeMissing(missing)}. Everything else is in it. Keep earlier backups, repair the server, and back up again`,
  )

/** Names each generation with the reason, in one line. */
export const describeMissing = (missing: readonly MissingDocuments[]): string =>
  missing
    .map(
      ({ workspace, collection, generation, live, reason }) =>
        `${workspace}/${collection} (generation ${generation}${live ? '' : ', not live'}) could not be read: ${reason}`,
    )
    .join('; ')

/** Writes nothing else to stdout. A backup that is cut off has no end marker, so `querent restore` rejects it. */
const writeToStdout = async (management: Management): Promise<void> => {
  if (process.stdout.isTTY)
    throw new CommandError(
      'refusing to write a backup to a terminal: give a file name or redirect standard output',
    )
  process.stdout.prependListener('error', (error: NodeJS.ErrnoException) => {
    printFailure([
      error.code === 'EPIPE'
        ? 'the reader of standard output stopped before the end: the backup is cut off and cannot be restored'
        : describeWriteError(error),
    ])
    process.exit(1)
  })
  const reader = await openEndReader()
  for await (const chunk of explainCut(management.makeBackup(), 'the output cannot be restored')) {
    await reader.add(chunk)
    if (!process.stdout.write(chunk)) await once(process.stdout, 'drain')
  }
  const missing = await reader.end()
  if (missing.length > 0) throw incompleteError(missing)
}

/** Unpacks the backup as it passes, and returns what its last line says is missing. */
const openEndReader = async () => {
  const { createBackupReader } = await import('@querent/contract/backup-end')
  const reader = createBackupReader()
  const unpacked = createGunzip()
  unpacked.on('data', (bytes: Buffer) => reader.add(bytes))
  const unpackingEnd = once(unpacked, 'end')
  // `end` below reports it.
  unpackingEnd.catch(() => {})
  return {
    async add(chunk: Uint8Array): Promise<void> {
      if (!unpacked.write(chunk)) await Promise.race([once(unpacked, 'drain'), unpackingEnd])
    },
    async end(): Promise<MissingDocuments[]> {
      unpacked.end()
      await unpackingEnd
      return reader.missing()
    },
  }
}

/** Turns a broken connection into an error that does not say that the server is down. */
async function* explainCut(source: AsyncIterable<Uint8Array>, outcome: string): AsyncGenerator<Uint8Array> {
  let hasBegun = false
  try {
    for await (const chunk of source) {
      hasBegun = true
      yield chunk
    }
  } catch (error) {
    if (!hasBegun || !(error instanceof Error && error.name === 'UnreachableError')) throw error
    throw new CommandError(
      `the server ended the backup before it was complete, and ${outcome}: its log has the reason at "the backup failed"`,
    )
  }
}

/** An existing backup is never overwritten, because the new one may fail. */
const refuseExisting = (file: string): void => {
  if (existsSync(file)) throw new CommandError(`${file} already exists: choose another name`)
}

/** Writes the whole file or nothing, readable by its owner only. Returns the number of bytes, and what the backup lacks. */
const write = async (
  file: string,
  source: AsyncIterable<Uint8Array>,
): Promise<{ bytes: number; missing: MissingDocuments[] }> => {
  await removeLeftovers(dirname(file))
  const reader = await openEndReader()
  const temporary = join(dirname(file), `${partPrefix}${process.pid}-${randomBytes(4).toString('hex')}`)
  const handle = await open(temporary, 'wx', 0o600).catch(error => {
    throw createWriteError(file, error)
  })
  const interrupt = () => {
    rmSync(temporary, { force: true })
    process.exit(1)
  }
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    let bytes = 0
    for await (const chunk of explainCut(source, 'no part of it was kept')) {
      await reader.add(chunk)
      await handle.writeFile(chunk)
      bytes += chunk.length
    }
    const missing = await reader.end()
    await handle.sync()
    await handle.close()
    refuseExisting(file)
    await rename(temporary, file)
    await syncFolder(dirname(file))
    return { bytes, missing }
  } catch (error) {
    // The first error is reported.
    await handle.close().catch(() => {})
    await rm(temporary, { force: true })
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw createWriteError(file, error, 'no part of it was kept')
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
}

/** Name of a backup that is being written: the machine and the process tell whether it still is. */
const partPrefix = `.querent-backup-${hostname()}-`

/** Removes what a backup in this folder left that was killed. */
const removeLeftovers = async (folder: string): Promise<void> => {
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const pid = name.startsWith(partPrefix) && Number(/^\d+/.exec(name.slice(partPrefix.length))?.[0])
    // A leftover that stays costs room only, and the next backup tries again.
    if (pid && !isAlive(pid)) await rm(join(folder, name), { force: true }).catch(() => {})
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it belongs to another user.
    return error instanceof Error && 'code' in error && error.code !== 'ESRCH'
  }
}

/** Makes the rename survive a power failure, on systems that can sync folders. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r')
  // Some systems cannot sync folders.
  await handle.sync().catch(() => {})
  await handle.close()
}
