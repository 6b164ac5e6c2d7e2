/**
 * Finds the lists of objects inside a streamed JSON object, by their paths, and objects whose values are all objects. Looks into no list, and
 * checks no syntax.
 */
import { documentDepthMax } from './document-size.ts'
import {
  backslash,
  closeArray,
  closeObject,
  colon,
  comma,
  lineFeed,
  openArray,
  openObject,
  quote,
} from './json-bytes.ts'

export interface FoundList {
  /** Names of the objects around it, joined by dots. Empty for the outermost object. */
  path: string
  /** Position of its `[` or `{` in the stream. */
  offset: number
  /** Line of that, from 1. */
  line: number
  /** Number of objects that were seen in it so far. */
  objects: number
  /** Undefined for a list. An object has so many values so far, and its documents have a key. */
  values?: number
  /** Number of these values that are lists. The value at the end may not have been seen. */
  lists?: number
}

type FoundObject = FoundList & {
  values: number
  lists: number
  /** Whether its names are `0`, `1`, … in order. */
  isNumbered: boolean
  /** Number of its objects with such names. */
  numberedObjects: number
  /** Number of its objects that are like documents: they have a list of objects, and other values. */
  listOwners: number
}

/** An object with at least so many objects may be longer than a list inside it, and one with so many plain values is no single document. */
const keyedDocumentsMin = 20

/** With fewer values, an object with a list of objects is around the list, and no document. */
const listOwnerValuesMin = 3

/** In fewer objects than these, a nested one of many plain values has the documents: the names of countries in a file of translations. */
const fewObjects = 5
const manyPlainValues = 100

/** An object with these numbers of plain and of other values is a single document rather than around documents. */
const ownPlainValuesMin = 3
const ownOtherValuesMin = 2

/** More lists are those of documents. */
const namedListsMax = 10

/** A longer name is in no path. */
const nameBytesMax = 1024

/** `rows` is the path of the list to choose; without it, the longest one counts. Give it the chunks of the stream in order. */
export const createListFinder = (rows?: string) => {
  const texts = createTextReader(() => {
    line += 1
  })
  const candidates = createCandidates(rows)
  const rowLists = createRowCounter()
  let offset = 0
  let line = 1
  /** Objects that are open, the outermost one first. */
  const objects: FoundObject[] = []
  let outermost: FoundObject | undefined
  let expectsName = false
  let isComplete = false
  let isTooDeep = false
  /** First byte after the object that is neither blank nor a comma. */
  let nextByte: number | undefined
  let open: FoundList | undefined
  /** Depth inside the open list. */
  let depth = 0
  const findPath = (): string => {
    const around = objects.at(-1)
    if (!around) return ''
    return around.path === '' ? texts.name() : `${around.path}.${texts.name()}`
  }
  const enterObject = (position: number) => {
    const object = createObject(findPath(), position, line)
    candidates.countInObject(objects.at(-1))
    outermost ??= object
    objects.push(object)
    expectsName = true
    isTooDeep ||= objects.length > documentDepthMax
  }
  const leaveObject = () => {
    const object = objects.pop()
    isComplete = objects.length === 0
    if (object) candidates.close(object, objects.at(-1))
  }
  const takeInList = (list: FoundList, byte: number) => {
    if (byte === openObject && depth === 0) candidates.countInList(list, objects.at(-1))
    else if (byte === openArray && depth < 2) rowLists.count(list, depth)
    if (byte === openObject || byte === openArray) depth += 1
    else if (byte === closeObject || byte === closeArray) {
      if (depth === 0) open = undefined
      depth -= 1
    }
  }
  const takeInObject = (byte: number, position: number) => {
    if (byte === openObject) enterObject(position)
    else if (byte === openArray) {
      open = { path: findPath(), offset: position, line, objects: 0 }
      const around = objects.at(-1)
      if (around) around.lists += 1
      depth = 0
    } else if (byte === closeObject) leaveObject()
    else if (byte === comma) expectsName = true
    else if (byte === colon) {
      expectsName = false
      const around = objects.at(-1)
      if (around) countValue(around, texts.name())
    }
  }
  return {
    isStated: rows !== undefined,
    take(bytes: Uint8Array): void {
      let index = texts.resume(bytes)
      while (index < bytes.length && !isComplete && !isTooDeep) {
        const byte = bytes[index] ?? 0
        if (byte === lineFeed) line += 1
        if (open && byte !== quote) takeInList(open, byte)
        else if (byte !== quote) takeInObject(byte, offset + index)
        index = byte === quote ? texts.read(bytes, index + 1, expectsName && !open) : index + 1
      }
      if (isComplete) nextByte ??= bytes.subarray(index).find(byte => byte > 0x20 && byte !== comma)
      offset += bytes.length
    },
    /** The list or object to read, as far as the stream was seen. */
    chosen: (): FoundList | undefined => candidates.choose(objects),
    ...{ longest: candidates.longest, lists: candidates.lists },
    /** The list that is not closed yet, or the object that may turn out to be the stated one. */
    open: (): FoundList | undefined =>
      open ?? (rows === undefined ? undefined : objects.find(object => object.path === rows)),
    /** Whether each value so far is a list of plain values, or an object with numbered names: the columns of a table. */
    isTable: (): boolean => candidates.longest() === undefined && hasColumns(outermost, objects.length > 1),
    /** Whether one list has more lists, the rows of a table, than any list or object has objects. */
    hasRows: (): boolean => rowLists.rowsOfOnly() > candidates.objectsMax(),
    /** Whether the object has ended. */
    isComplete: (): boolean => isComplete,
    /** Whether another object follows it. */
    hasNext: (): boolean => nextByte === openObject,
    /** Whether the object is a document itself, of which an object of plain values is a part. */
    isDocument: (list: FoundList): boolean => list !== outermost && belongsTo(outermost, list),
    isTooDeep: (): boolean => isTooDeep,
  }
}

/** Whether each value of the object is a list, or an object with numbered names. `isOpen`: the last one has not ended. */
const hasColumns = (object: FoundObject | undefined, isOpen: boolean): boolean =>
  object !== undefined &&
  object.values > 1 &&
  [object.lists, object.objects].includes(object.values) &&
  object.objects - object.numberedObjects <= (isOpen ? 1 : 0)

/** Whether an object of plain values is a part of this one, which has several plain values and several others. */
const belongsTo = (object: FoundObject | undefined, list: FoundList): boolean =>
  object !== undefined &&
  list.values !== undefined &&
  list.objects === 0 &&
  object.objects + object.lists >= ownOtherValuesMin &&
  object.values - object.objects - object.lists >= ownPlainValuesMin

/** Counts the lists in lists. Many lists with several of them are shapes of documents, and no table; so are lists whose lists have lists. */
const createRowCounter = () => {
  let current: FoundList | undefined
  let rows = 0
  let nested = 0
  let tables = 0
  let rowsOfTable = 0
  return {
    /** `depth`: 0 for a list in the list, 1 for one in that. */
    count: (list: FoundList, depth: number) => {
      if (list !== current) {
        rows = 0
        nested = 0
      }
      current = list
      if (depth > 0) {
        nested += 1
        if (rowsOfTable === rows && nested > rows) rowsOfTable = 0
        return
      }
      rows += 1
      if (rows === 2) tables += 1
      if (rows >= 2 && nested < rows) rowsOfTable = rows
    },
    /** Number of rows in the only list with several ones, otherwise 0. */
    rowsOfOnly: (): number => (tables === 1 ? rowsOfTable : 0),
  }
}

const createObject = (path: string, offset: number, line: number): FoundObject => ({
  ...{ path, offset, line, objects: 0, values: 0, lists: 0 },
  ...{ isNumbered: true, numberedObjects: 0, listOwners: 0 },
})

const countValue = (object: FoundObject, name: string): void => {
  object.isNumbered &&= name === String(object.values)
  object.values += 1
}

/** Skips texts, and remembers the last name. Loops over bytes, which is faster than a call for each. */
const createTextReader = (onLineFeed: () => void) => {
  let inText = false
  let isEscaped = false
  let name = ''
  let nameBytes: number[] | undefined
  /** Returns the position after the text. */
  const skip = (bytes: Uint8Array, start: number): number => {
    let escaped = isEscaped
    const bytesOfName = nameBytes
    for (let index = start; index < bytes.length; index += 1) {
      const byte = bytes[index] ?? 0
      if (byte === lineFeed) onLineFeed()
      if (escaped) escaped = false
      else if (byte === backslash) escaped = true
      else if (byte === quote) {
        end()
        return index + 1
      }
      if (bytesOfName && bytesOfName.length <= nameBytesMax) bytesOfName.push(byte)
    }
    isEscaped = escaped
    return bytes.length
  }
  const end = () => {
    inText = false
    isEscaped = false
    if (nameBytes) name = readName(nameBytes)
    nameBytes = undefined
  }
  return {
    /** Reads a text that begins at `start`, behind its quote. Returns the position after it; the end of the chunk if it goes on. */
    read(bytes: Uint8Array, start: number, isName: boolean): number {
      inText = true
      nameBytes = isName ? [] : undefined
      return skip(bytes, start)
    },
    /** Goes on with a text of the previous chunk. Returns the position after it; 0 if there was none. */
    resume: (bytes: Uint8Array): number => (inText ? skip(bytes, 0) : 0),
    name: () => name,
  }
}

/** Remembers the lists and objects that may be chosen. */
const createCandidates = (rows: string | undefined) => {
  let stated: FoundList | undefined
  let longest: FoundList | undefined
  /** The longest closed object whose values are all objects. */
  let longestObject: FoundObject | undefined
  /** The lists with several objects, by their paths. */
  const paths = new Set<string>()
  /** Objects that have a list of objects. */
  const withList = new WeakSet<FoundObject>()
  return {
    /** Counts an object of a list. `owner`: the object that has the list. */
    countInList(list: FoundList, owner: FoundObject | undefined): void {
      list.objects += 1
      if (owner) withList.add(owner)
      if (!longest || list.objects > longest.objects) longest = list
      if (list.path === rows) stated ??= list
      if (list.objects === 2 && paths.size <= namedListsMax) paths.add(list.path)
    },
    /** Paths of the lists with several objects, without those inside of lists; none if there are many, as documents have them. */
    lists: (): string[] => (paths.size > namedListsMax ? [] : [...paths]),
    /** Counts an object that is a value of another. */
    countInObject(around: FoundObject | undefined): void {
      if (!around) return
      around.objects += 1
      if (around.path === rows && around.objects === around.values) stated ??= around
    },
    close(object: FoundObject, around: FoundObject | undefined): void {
      longestObject = findLonger(longestObject, object)
      if (!around) return
      if (object.isNumbered && object.values > 0) around.numberedObjects += 1
      if (withList.has(object) && object.values >= listOwnerValuesMin) around.listOwners += 1
    },
    longest: (): FoundList | undefined => longest,
    objectsMax: (): number => Math.max(longest?.objects ?? 0, longestObject?.objects ?? 0),
    choose: (openObjects: readonly FoundObject[]): FoundList | undefined =>
      rows === undefined ? chooseLongest(longest, openObjects.reduce(findLonger, longestObject)) : stated,
  }
}

/** Returns the object with more documents. One of objects comes before all of plain values. */
const findLonger = (longest: FoundObject | undefined, object: FoundObject): FoundObject | undefined => {
  const isOfObjects = object.objects > 1 && object.lists === 0 && object.objects >= object.values - 1
  const isOfPlainValues =
    object.objects === 0 && object.values >= keyedDocumentsMin && object.lists < object.values / 2
  if (isOfObjects && isAroundValues(object, longest)) return longest
  if (isOfObjects) return object.objects > (longest?.objects ?? 0) ? object : longest
  return isOfPlainValues && (!longest || (longest.objects === 0 && object.values > longest.values))
    ? object
    : longest
}

const countNames = (path: string): number => (path === '' ? 0 : path.split('.').length)

/** Whether an object of few objects is around one of many plain values, which is in a part of one of them. */
const isAroundValues = (object: FoundObject, values: FoundObject | undefined): boolean =>
  values !== undefined &&
  values.objects === 0 &&
  values.values >= manyPlainValues &&
  object.objects < fewObjects &&
  countNames(values.path) > countNames(object.path) + 1

/** A list comes first, unless it belongs to one of many documents of an object, or is shorter and nested deeper. */
const chooseLongest = (
  list: FoundList | undefined,
  object: FoundObject | undefined,
): FoundList | undefined => {
  if (!list || !object) return list ?? object
  const isInside = object.path === '' || list.path.startsWith(`${object.path}.`)
  const isLonger = object.objects >= keyedDocumentsMin && object.objects > list.objects
  const isOfOwners = object.listOwners > 1 && object.listOwners >= object.objects / 2
  const isHigher = countNames(object.path) < countNames(list.path)
  return (isInside && isOfOwners) || (isLonger && (isInside || isHigher)) ? object : list
}

const readName = (bytes: readonly number[]): string => {
  const text = Buffer.from(bytes).toString()
  try {
    return String(JSON.parse(`"${text}"`))
  } catch {
    return text
  }
}
