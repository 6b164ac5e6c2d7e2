import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Management } from '@querent/client'
import type { Command } from 'commander'
import { define } from '#command-line/define'
import { CommandError } from '#command-line/failure'
import type { Globals } from '#command-line/globals'
import { connect } from '#connection/connect'
import { cannotWrite, failed, print } from '#terminal/output'

export const backup = (): Command =>
  define(
    'backup',
    'Write all that a running server keeps into one file, for `querent restore`. The file is as secret as the data folder.',
    'querent backup querent-2026-11-21.backup',
    'querent backup - | gpg --encrypt --recipient backup@example.org > querent-2026-11-21.backup.gpg',
  )
    .argument('<file>', '- for standard output')
    .action(async (file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      if (file === '-') return writeOut((await connect(options)).management)
      refuseExisting(file)
      const { management } = await connect(options)
      const bytes = await write(file, management.makeBackup())
      print(options, { json: { file, bytes }, text: `Wrote ${file}, ${bytes.toLocaleString('en')} bytes.` })
    })

/** Nothing else goes there. One that breaks off has no end, by which `querent restore` knows it. */
const writeOut = async (management: Management): Promise<void> => {
  if (process.stdout.isTTY)
    throw new CommandError(
      'a backup is no text for a terminal: name a file, or lead standard output into one',
    )
  process.stdout.prependListener('error', (error: NodeJS.ErrnoException) => {
    failed([
      error.code === 'EPIPE'
        ? 'whoever reads standard output stopped before the end: the backup was cut off, and is none'
        : cannotWrite(error),
    ])
    process.exit(1)
  })
  for await (const chunk of management.makeBackup())
    if (!process.stdout.write(chunk)) await once(process.stdout, 'drain')
}

/** A backup of before is not lost to one that may not get to its end. */
const refuseExisting = (file: string): void => {
  if (existsSync(file)) throw new CommandError(`${file} is there already: name another file`)
}

/** Written whole or not at all, for the owner's eyes only. Gives the number of bytes. */
const write = async (file: string, source: AsyncIterable<Uint8Array>): Promise<number> => {
  const temporary = `${file}.${randomBytes(4).toString('hex')}.part`
  const handle = await open(temporary, 'wx', 0o600).catch(error => {
    throw new CommandError(`${temporary} cannot be made (${reasonOf(error)}): name another file`)
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
    throw new CommandError(`${file} cannot be written (${reasonOf(error)}): nothing was kept of it`)
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
}

/** Its new name outlasts a loss of power too, where folders can be synced. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r')
  await handle.sync().catch(() => {})
  await handle.close()
}

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'it is there already',
  ENOENT: 'there is no such folder',
  EACCES: 'this account may not write there',
  ENOSPC: 'the disk is full',
}

const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return reasons[code] ?? (error instanceof Error ? error.message : String(error))
}
