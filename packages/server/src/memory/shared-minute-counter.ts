/** Counts per key and minute in memory that the threads of this process share. */
import { createHash } from 'node:crypto'
import { type Minute, type MinuteCounter, minuteSeconds } from './minute-counter.ts'

/** Fields of a slot: two halves of the key's hash, the end of its minute, and the count. */
const slotSize = 4
const [hashPlace, tagPlace, endPlace, countPlace] = [0, 1, 2, 3]
/** The number of neighboring slots that a key may be in. */
const slotsOfKey = 8
/** Resolution of the end of a minute. */
const tickMs = 100
const minuteTicks = (minuteSeconds * 1000) / tickMs

/** Creates the memory for this many keys. Pass it to the other threads. */
export const allocateMinuteCounter = (keysMax: number): SharedArrayBuffer =>
  new SharedArrayBuffer(keysMax * slotSize * Uint32Array.BYTES_PER_ELEMENT)

/**
 * Counts in memory of {@link allocateMinuteCounter}. If all slots of a key are in use, it takes that whose minute ends first, so the key
 * there starts again from 0.
 */
export const createSharedMinuteCounter = (memory: SharedArrayBuffer): Pick<MinuteCounter, 'add' | 'peek'> => {
  const fields = new Uint32Array(memory)
  const slotCount = fields.length / slotSize
  /** Milliseconds since 1970, on the clock that all threads share. */
  const startMs = performance.timeOrigin
  const nowTicks = (): number => Math.floor((startMs + performance.now()) / tickMs) % 2 ** 32
  const hashKey = (key: string): [number, number] => {
    const digest = createHash('sha1').update(key).digest()
    // 0 marks a free slot.
    return [digest.readUInt32LE(0) || 1, digest.readUInt32LE(4)]
  }
  const isRunning = (slot: number, now: number): boolean => {
    const ticksLeft = Atomics.load(fields, slot + endPlace) - now
    return ticksLeft > 0 && ticksLeft <= minuteTicks
  }
  const listSlots = (hash: number): number[] =>
    Array.from({ length: slotsOfKey }, (_, place) => ((hash + place) % slotCount) * slotSize)
  const findSlot = (hash: number, tag: number, now: number): number | undefined =>
    listSlots(hash).find(
      slot =>
        Atomics.load(fields, slot + hashPlace) === hash &&
        Atomics.load(fields, slot + tagPlace) === tag &&
        isRunning(slot, now),
    )
  const takeSlot = (hash: number, tag: number, now: number): number => {
    const slots = listSlots(hash)
    const slot =
      slots.find(candidate => !isRunning(candidate, now)) ??
      slots.reduce((first, candidate) =>
        Atomics.load(fields, candidate + endPlace) < Atomics.load(fields, first + endPlace)
          ? candidate
          : first,
      )
    Atomics.store(fields, slot + hashPlace, hash)
    Atomics.store(fields, slot + tagPlace, tag)
    Atomics.store(fields, slot + countPlace, 0)
    Atomics.store(fields, slot + endPlace, (now + minuteTicks) % 2 ** 32)
    return slot
  }
  const toMinute = (slot: number, now: number, count: number): Minute => ({
    count,
    endsAt: performance.now() + (Atomics.load(fields, slot + endPlace) - now) * tickMs,
  })
  return {
    add(key) {
      const now = nowTicks()
      const [hash, tag] = hashKey(key)
      const slot = findSlot(hash, tag, now) ?? takeSlot(hash, tag, now)
      return toMinute(slot, now, Atomics.add(fields, slot + countPlace, 1) + 1)
    },
    peek(key) {
      const now = nowTicks()
      const slot = findSlot(...hashKey(key), now)
      return slot === undefined ? undefined : toMinute(slot, now, Atomics.load(fields, slot + countPlace))
    },
  }
}
