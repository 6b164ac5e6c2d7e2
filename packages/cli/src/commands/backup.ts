import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Management } from '@querent/client/manage'
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
      const bytes = await write(file, management.makeBackup())
      print(options, { json: { file, bytes }, text: `Wrote ${file}, ${bytes.toLocaleString('en')} bytes.` })
    })

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
  for await (const chunk of management.makeBackup())
    if (!process.stdout.write(chunk)) await once(process.stdout, 'drain')
}

/** An existing backup is never overwritten, because the new one may fail. */
const refuseExisting = (file: string): void => {
  if (existsSync(file)) throw new CommandError(`${file} already exists: choose another name`)
}

/** Writes the whole file or nothing, readable by its owner only. Returns the number of bytes. */
const write = async (file: string, source: AsyncIterable<Uint8Array>): Promise<number> => {
  const temporary = `${file}.${randomBytes(4).toString('hex')}.part`
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
    for await (const chunk of source) {
      await handle.writeFile(chunk)
      bytes += chunk.length
    }
    await handle.sync()
    await handle.close()
    refuseExisting(file)
    await rename(temporary, file)
    await syncFolder(dirname(file))
    return bytes
  } catch (error) {
    await handle.close().catch(() => {})
    await rm(temporary, { force: true })
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw createWriteError(file, error, 'no part of it was kept')
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
}

/** Makes the rename survive a power failure, on systems that can sync folders. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r')
  await handle.sync().catch(() => {})
  await handle.close()
}
