/**
 * Keeps room for the operations that matter most on a full disk: backups, removals, revocations and new keys. The reserve is a file of
 * random bytes beside the SQLite file. If the disk is full, a transaction of such an operation empties it, and fills it again when it ends.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { closeSync, openSync, statfsSync, statSync, truncateSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** A write-ahead log of 1,000 pages, after which SQLite reuses it, and as much for the database. */
export const reserveBytesMax = 8 * 1024 * 1024
/** Below this, the disk counts as full. */
const fullBelowBytes = 2 * 1024 * 1024
/** Free space that stays when the reserve grows in the background. */
const spareBytes = 8 * 1024 * 1024
const refillEveryMs = 5000
const chunkBytes = 64 * 1024

const essential = new AsyncLocalStorage<true>()

/** Runs `work` as an operation that may use the reserve. */
export const runEssential = <T>(work: () => T): T => essential.run(true, work)
export const isEssential = (): boolean => essential.getStore() === true

export interface DiskState {
  isFull: boolean
  /** Bytes that the reserve has; less than {@link reserveBytesMax} after it was used on a disk that is still full. */
  reserveBytes: number
}

export interface DiskReserve {
  /** Frees the reserve if the disk is full. Call it while no other transaction can write. */
  release(): void
  /** Fills the reserve again after {@link DiskReserve.release}. */
  refill(): void
  /** Runs `work` with the room of the reserve if the disk is full. */
  hold<T>(work: () => Promise<T>): Promise<T>
  /** Notes that a write found no room: a quota does not show in the free space of the disk. */
  reportFull(): void
  state(): DiskState
  close(): void
}

/** Opens the reserve of an SQLite file. Only one thread owns it; without `isOwner`, it only watches the disk. */
export const openDiskReserve = (storageFile: string, isOwner: boolean): DiskReserve => {
  const file = `${storageFile}-reserve`
  let isReleased = false
  /** Calls of `hold` that are not over; transactions within them leave the room free. */
  let holds = 0
  let isReportedFull = false
  let disk: DiskState = { isFull: false, reserveBytes: 0 }

  const readFree = (): number => {
    const { bavail, bsize } = statfsSync(dirname(storageFile))
    return bavail * bsize
  }
  const readSize = (): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0
  /** Appends until the reserve is complete or there is no more room. */
  const grow = (): number => {
    let size = readSize()
    const descriptor = openSync(file, 'a', 0o600)
    try {
      while (size < reserveBytesMax) {
        const length = Math.min(chunkBytes, reserveBytesMax - size)
        // A file system that compresses would not keep room for zeros.
        const appendedBytes = writeSync(descriptor, randomBytes(length))
        size += appendedBytes
        if (appendedBytes < length) break
      }
    } finally {
      closeSync(descriptor)
    }
    return size
  }
  const update = () => {
    try {
      const free = readFree()
      let reserveBytes = readSize()
      if (isOwner && !isReleased && reserveBytes < reserveBytesMax)
        if (free > reserveBytesMax - reserveBytes + spareBytes) reserveBytes = grow()
      if (reserveBytes >= reserveBytesMax && free >= fullBelowBytes) isReportedFull = false
      disk = { isFull: isReportedFull || free < fullBelowBytes, reserveBytes }
    } catch {
      // The folder cannot be read or written: other checks report that.
    }
  }
  update()
  const timer = setInterval(update, refillEveryMs).unref()

  return {
    release() {
      if (!isOwner || isReleased) return
      try {
        if (!isReportedFull && readFree() >= fullBelowBytes) return
        isReleased = true
        truncateSync(file, 0)
        disk = { isFull: true, reserveBytes: 0 }
      } catch {
        // There is no reserve yet; the write itself says whether there is room.
      }
    },
    refill() {
      if (!isReleased || holds > 0) return
      isReleased = false
      try {
        grow()
      } catch {
        // It is as large as the disk allows.
      }
      update()
    },
    async hold(work) {
      this.release()
      holds += 1
      try {
        return await work()
      } finally {
        holds -= 1
        this.refill()
      }
    },
    reportFull() {
      isReportedFull = true
      disk = { ...disk, isFull: true }
    },
    state: () => disk,
    close: () => clearInterval(timer),
  }
}
