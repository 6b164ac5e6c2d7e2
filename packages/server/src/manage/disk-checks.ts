/** Checks the limits of the machine: space of the data folder, the reserve for a full disk, files and memory. */
import { statfs } from 'node:fs/promises'
import { healthPart } from '@querent/contract/health-texts'
import type { HealthCheck } from '@querent/contract/manage'
import { type DiskState, reserveBytesMax } from '#storage/disk-reserve'
import { makeHealthCheck } from './health-check.ts'

const gibibyte = 1024 ** 3
const diskFailBytes = gibibyte / 4
const diskWarnBytes = 2 * gibibyte

export const diskCheck = async (data: string, disk: DiskState | undefined): Promise<HealthCheck> => {
  if (disk?.isFull) return fullDiskCheck(disk)
  try {
    const { bavail, bsize } = await statfs(data)
    return diskSpaceCheck(bavail * bsize, data)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return makeHealthCheck(
      { name: 'disk', state: 'fail' },
      [healthPart('data-unreadable', { data, reason })],
      healthPart('data-unreadable-advice'),
    )
  }
}

export const fullDiskCheck = ({ reserveBytes }: DiskState): HealthCheck =>
  makeHealthCheck(
    { name: 'disk', state: 'fail' },
    [
      reserveBytes < reserveBytesMax
        ? healthPart('disk-full-used', { percent: Math.round((100 * reserveBytes) / reserveBytesMax) })
        : healthPart('disk-full-reserve'),
    ],
    healthPart('disk-full-advice'),
  )

/** `freeBytes`: free space of the data folder. */
export const diskSpaceCheck = (freeBytes: number, data: string): HealthCheck => {
  const message = [healthPart('disk-free', { gib: (freeBytes / gibibyte).toFixed(1), data })]
  if (freeBytes > diskWarnBytes) return makeHealthCheck({ name: 'disk', state: 'ok' }, message)
  const state = freeBytes > diskFailBytes ? 'warn' : 'fail'
  return makeHealthCheck({ name: 'disk', state }, message, healthPart('disk-advice'))
}

/** The warnings are those of the log, and have no codes. */
export const limitChecks = (warnings: readonly string[]): HealthCheck[] =>
  warnings.map(message => {
    const { messageParts: _parts, ...check } = makeHealthCheck(
      { name: 'limits', state: 'warn' },
      [],
      healthPart('limits-advice'),
    )
    return { ...check, message }
  })
