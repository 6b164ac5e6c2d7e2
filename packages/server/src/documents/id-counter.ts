/** Counts how many different documents an import has written, in bounded memory. */

/** Different ids that are remembered: 64 bits each, in a table of at most 64 MiB. */
export const rememberedIdsMax = 6_000_000

/** Ids that are listed. */
const replacedIdsMax = 5

const slotsAtFirst = 1024
/** Slots filled before the table doubles. */
const loadMax = 0.75

/** Counts of written documents. `accepted` is the sum of the others. */
export interface IdCounts {
  accepted: number
  /** Different documents. */
  documents: number
  /** Documents that a later one with the same id replaced. */
  replaced: number
  /** The first ids that several documents have, in the order in which they are repeated. Absent if there are none. */
  replacedIds?: string[]
}

/**
 * Counts ids by their hashes: two of ten million ids collide with a probability below 10^-5. Once it remembers `max` ids, each further new id
 * counts as a different document.
 */
export const createIdCounter = (max = rememberedIdsMax) => {
  /** Pairs of 32 bits; 0, 0 is an empty slot. A Set of numbers or texts needs five times the memory. */
  let slots = new Uint32Array(2 * slotsAtFirst)
  let remembered = 0
  let accepted = 0
  let replaced = 0
  const replacedIds = new Set<string>()
  const hash = new Uint32Array(2)
  const grow = () => {
    const earlier = slots
    slots = new Uint32Array(2 * earlier.length)
    for (let index = 0; index < earlier.length; index += 2) {
      const high = earlier[index] ?? 0
      const low = earlier[index + 1] ?? 0
      if (high === 0 && low === 0) continue
      const slot = findSlot(slots, high, low)
      slots[slot] = high
      slots[slot + 1] = low
    }
  }
  return {
    add(id: string): void {
      accepted += 1
      writeHash(id, hash)
      const high = hash[0] ?? 0
      const low = hash[1] ?? 0
      const slot = findSlot(slots, high, low)
      if (slots[slot] !== 0 || slots[slot + 1] !== 0) {
        replaced += 1
        if (replacedIds.size < replacedIdsMax) replacedIds.add(id)
        return
      }
      if (remembered >= max) return
      slots[slot] = high
      slots[slot + 1] = low
      remembered += 1
      if (remembered > (loadMax * slots.length) / 2) grow()
    },
    counts: (): IdCounts => ({
      accepted,
      documents: accepted - replaced,
      replaced,
      ...(replaced === 0 ? {} : { replacedIds: [...replacedIds] }),
    }),
  }
}

/** Returns the index of the slot that has the hash, or of the empty slot where it belongs. The number of slots is a power of two. */
const findSlot = (slots: Uint32Array, high: number, low: number): number => {
  const mask = slots.length - 1
  let index = (high << 1) & mask
  while (
    (slots[index] !== 0 || slots[index + 1] !== 0) &&
    !(slots[index] === high && slots[index + 1] === low)
  )
    index = (index + 2) & mask
  return index
}

/** Hashes a text to 64 bits in two lanes, each mixed like MurmurHash3 (https://github.com/aappleby/smhasher). Never gives 0, 0. */
const writeHash = (text: string, hash: Uint32Array): void => {
  let high = text.length
  let low = 0x9747b28c
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    high = Math.imul(high ^ unit, 0xcc9e2d51)
    high = (high << 15) | (high >>> 17)
    low = Math.imul(low ^ unit, 0x1b873593)
    low = (low << 13) | (low >>> 19)
  }
  hash[0] = finish(high ^ Math.imul(low, 0x85ebca6b))
  hash[1] = finish(low ^ Math.imul(high, 0xc2b2ae35)) | 1
}

const finish = (bits: number): number => {
  let mixed = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
