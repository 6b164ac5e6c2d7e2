/** Checks the limits of the machine: space of the data folder, the reserve for a full disk, files and memory. */
import { statfs } from 'node:fs/promises'
import type { HealthCheck } from '@querent/contract/manage'
import { type DiskState, reserveBytesMax } from '#storage/disk-reserve'

const gibibyte = 1024 ** 3
const diskFailBytes = gibibyte / 4
const diskWarnBytes = 2 * gibibyte

export const diskCheck = async (data: string, disk: DiskState | undefined): Promise<HealthCheck> => {
  if (disk?.isFull) return fullDiskCheck(disk)
  try {
    const { bavail, bsize } = await statfs(data)
    return diskSpaceCheck(bavail * bsize, data)
  } catch (error) {
    return {
      name: 'disk',
      state: 'fail',
      message: `the data folder ${data} cannot be read (${error instanceof Error ? error.message : String(error)})`,
      advice: 'restore it, mount its file system, and restart the server',
    }
  }
}

export const fullDiskCheck = ({ reserveBytes }: DiskState): HealthCheck => ({
  name: 'disk',
  state: 'fail',
  message: `the disk with the storage is full; the reserve for backups, removals, revocations and keys ${
    reserveBytes < reserveBytesMax
      ? `was used and has ${Math.round((100 * reserveBytes) / reserveBytesMax)} % of its size`
      : 'is complete'
  }`,
  advice: 'free up space: until then, every other change fails with 503',
})

/** `freeBytes`: free space of the data folder. */
export const diskSpaceCheck = (freeBytes: number, data: string): HealthCheck => {
  const message = `${(freeBytes / gibibyte).toFixed(1)} GiB free for ${data}`
  const advice = 'free up space: on a full disk every change fails with 503'
  if (freeBytes > diskWarnBytes) return { name: 'disk', state: 'ok', message }
  return { name: 'disk', state: freeBytes > diskFailBytes ? 'warn' : 'fail', message, advice }
}

export const limitChecks = (warnings: readonly string[]): HealthCheck[] =>
  warnings.map(message => ({
    name: 'limits',
    state: 'warn',
    message,
    advice:
      'restart the server after you raise the limit; until then it opens and closes collections more often',
  }))
