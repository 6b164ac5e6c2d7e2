/** The local time of IANA time zones, such as `Europe/Amsterdam`, as the runtime knows it (ECMA-402). */

/**
 * The offsets of a zone from UTC. All numbers are seconds; times count from 1970. Each offset holds from its place in `starts`, the first one
 * always. `floors` has the local time that was reached before each start. From `until` on, offsets are those of 400 years earlier, because
 * the days of the calendar repeat after 400 years.
 */
export interface ZoneOffsets {
  starts: number[]
  offsets: number[]
  floors: number[]
  until: number
}

const zonePattern = /^[A-Za-z][A-Za-z0-9_+/-]{0,99}$/

export const isTimeZone = (name: string): boolean => {
  if (!zonePattern.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

const daySeconds = 24 * 60 * 60
export const cycleSeconds = 146_097 * daySeconds
const atYear = (year: number) => Date.UTC(year, 0, 1) / 1000
/** Before it, local time was that of the sun, and no zone had changes. */
const firstYear = 1840
/** From then on, no zone has other rules than the years before. */
const steadyYear = 2100
/** No zone changes its offset twice in this time. */
const stepSeconds = 7 * daySeconds
/** Before all dates. */
const distantPast = -1e12

const zones = new Map<string, ZoneOffsets>()

/** Returns the offsets of a zone that {@link isTimeZone} accepts. The first call for a zone takes about 60 ms. */
export const zoneOffsets = (name: string): ZoneOffsets => {
  const key = name.toLowerCase()
  const cachedOffsets = zones.get(key)
  if (cachedOffsets) return cachedOffsets
  const offsets = findOffsets(createOffsetReader(name))
  zones.set(key, offsets)
  return offsets
}

type OffsetReader = (seconds: number) => number

const offsetText = /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?$/

const createOffsetReader = (timeZone: string): OffsetReader => {
  // This format takes the least time of those with an offset.
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hour: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  })
  return seconds => {
    // As in "13 GMT+02:00", "00 GMT+00:17:30" or "12 GMT".
    const [, sign, hours = 0, minutes = 0, rest = 0] = offsetText.exec(format.format(1000 * seconds)) ?? []
    const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(rest)
    return sign === '-' ? -size : size
  }
}

const findOffsets = (readOffset: OffsetReader): ZoneOffsets => {
  const first = atYear(firstYear)
  const changes: [start: number, offset: number][] = [[distantPast, readOffset(first)]]
  const addChanges = (from: number, to: number, shift: number) => {
    let offset = readOffset(from)
    for (let start = from; start < to; start += stepSeconds) {
      const end = Math.min(start + stepSeconds, to)
      const next = readOffset(end)
      if (next !== offset) changes.push([findChange(readOffset, start, end) + shift, next])
      offset = next
    }
  }
  addChanges(first, atYear(steadyYear), 0)
  // Years of the same length that begin on the same day of the week have the same changes.
  for (let year = steadyYear; year < steadyYear + 400; year++) {
    const sample = sampleYear(year)
    const sampleChanges = samples(readOffset, sample)
    for (const [start, offset] of sampleChanges) changes.push([start + atYear(year) - atYear(sample), offset])
  }
  const starts: number[] = []
  const offsets: number[] = []
  const floors: number[] = []
  let floor = 2 * distantPast
  for (const [start, offset] of changes) {
    const lastOffset = offsets.at(-1)
    if (offset === lastOffset) continue
    if (lastOffset !== undefined) floor = Math.max(floor, start + lastOffset)
    starts.push(start)
    offsets.push(offset)
    floors.push(floor)
  }
  return { starts, offsets, floors, until: atYear(steadyYear + 400) }
}

const isLeap = (year: number) => new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1
const weekday = (year: number) => new Date(Date.UTC(year, 0, 1)).getUTCDay()

/** Returns a year from 2072 on with the same calendar: 28 years have all calendars. */
const sampleYear = (year: number): number => {
  const first = steadyYear - 28
  for (let sample = first; sample < steadyYear; sample++)
    if (isLeap(sample) === isLeap(year) && weekday(sample) === weekday(year)) return sample
  return first
}

const sampledYears = new WeakMap<OffsetReader, Map<number, [number, number][]>>()

const samples = (readOffset: OffsetReader, year: number): [start: number, offset: number][] => {
  const years = sampledYears.get(readOffset) ?? new Map<number, [number, number][]>()
  sampledYears.set(readOffset, years)
  const cachedChanges = years.get(year)
  if (cachedChanges) return cachedChanges
  const changes: [number, number][] = []
  let offset = readOffset(atYear(year))
  for (let start = atYear(year); start < atYear(year + 1); start += stepSeconds) {
    const end = Math.min(start + stepSeconds, atYear(year + 1))
    const next = readOffset(end)
    if (next !== offset) changes.push([findChange(readOffset, start, end), next])
    offset = next
  }
  years.set(year, changes)
  return changes
}

/** Returns the first second with the later offset. */
const findChange = (readOffset: OffsetReader, start: number, end: number): number => {
  const nextOffset = readOffset(end)
  let [low, high] = [start, end]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (readOffset(middle) === nextOffset) high = middle
    else low = middle
  }
  return high
}

/** Returns the place of the last start that is not after `seconds`. */
const findPlace = ({ starts }: ZoneOffsets, seconds: number): number => {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= seconds) low = middle
    else high = middle - 1
  }
  return low
}

const cycleShift = ({ until }: ZoneOffsets, seconds: number): number =>
  seconds < until ? 0 : (Math.floor((seconds - until) / cycleSeconds) + 1) * cycleSeconds

/** Returns the offset at a moment. */
export const offsetAt = (zone: ZoneOffsets, seconds: number): number =>
  zone.offsets[findPlace(zone, seconds - cycleShift(zone, seconds))] ?? 0

/** Returns the first moment at which the local time is at least `local`. */
export const firstMoment = (zone: ZoneOffsets, local: number): number => {
  const shift = cycleShift(zone, local - 2 * daySeconds)
  const { starts, offsets } = zone
  const shifted = local - shift
  for (let place = findPlace(zone, shifted - 2 * daySeconds); place < starts.length; place++) {
    const moment = Math.max(starts[place] ?? 0, shifted - (offsets[place] ?? 0))
    if (moment < (starts[place + 1] ?? Number.POSITIVE_INFINITY)) return moment + shift
  }
  return local
}

/** Returns when the local hour that starts at `local` begins and ends, with its offset: twice if clocks go back in or after it. */
export const localHours = (
  zone: ZoneOffsets,
  local: number,
): { from: number; to: number; offset: number }[] => {
  const shift = cycleShift(zone, local - 2 * daySeconds)
  const { starts, offsets } = zone
  const shifted = local - shift
  const hours: { from: number; to: number; offset: number }[] = []
  for (let place = findPlace(zone, shifted - 2 * daySeconds); place < starts.length; place++) {
    const start = starts[place] ?? 0
    if (start > shifted + 2 * daySeconds) break
    const offset = offsets[place] ?? 0
    const first = Math.max(start, shifted - offset)
    const end = Math.min(starts[place + 1] ?? Number.POSITIVE_INFINITY, shifted - offset + 3600)
    if (first < end) hours.push({ from: first + shift, to: end + shift, offset })
  }
  return hours
}
