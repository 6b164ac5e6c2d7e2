/** Limits what a document of 1 MiB may consist of: JavaScript takes up to 0.3 s to parse and check 100,000 small objects. */
import { backslash, colon, openArray, openObject, quote } from './json-bytes.ts'

/** Fields of a document besides its id, those of nested objects included. */
export const documentFieldsMax = 10_000
/** Objects and lists in a document, nested ones included. */
export const documentPartsMax = 10_000
/** Columns of a CSV file. */
export const csvColumnsMax = 10_000
/** Nesting of a document. JSON parsers of the engines stop at 128. */
export const documentDepthMax = 100

export const tooManyParts = `the document has more than ${documentFieldsMax} fields, or more than ${documentPartsMax} objects and lists`
export const tooDeep = `the document is nested more than ${documentDepthMax} deep`

/** A document beyond one of the limits has at least this many characters. */
export const suspectCharactersMin = 2 * Math.min(documentFieldsMax, documentPartsMax)

/** Whether JSON text has more fields, objects or lists than allowed. Takes 3 ms for 1 MiB, and 0.1 ms for a long text or vector. */
export const hasTooManyParts = (json: string): boolean =>
  json.length >= suspectCharactersMin && mayExceed(json) && exceeds(json)

/** Counts also inside of texts, which gives an upper bound, with the fast search of the runtime. */
const mayExceed = (json: string): boolean => {
  const max = Math.min(documentFieldsMax, documentPartsMax)
  let count = 0
  for (const character of '[{:')
    for (let index = json.indexOf(character); index >= 0; index = json.indexOf(character, index + 1)) {
      count += 1
      if (count > max) return true
    }
  return false
}

const exceeds = (json: string): boolean => {
  let fields = 0
  let parts = 0
  let isInText = false
  for (let index = 0; index < json.length; index += 1) {
    const unit = json.charCodeAt(index)
    if (isInText) {
      if (unit === backslash) index += 1
      else if (unit === quote) isInText = false
    } else if (unit === quote) isInText = true
    else if (unit === colon) fields += 1
    else if (unit === openArray || unit === openObject) parts += 1
    // One more for the id, and for the document itself.
    if (fields > documentFieldsMax + 1 || parts > documentPartsMax + 1) return true
  }
  return false
}

/** Whether the value is nested at most as deep as a document may be. Its own level counts. */
export const isShallow = (value: object, depth = documentDepthMax): boolean => {
  if (depth === 0) return false
  for (const inner of Object.values(value))
    if (typeof inner === 'object' && inner !== null && !isShallow(inner, depth - 1)) return false
  return true
}
