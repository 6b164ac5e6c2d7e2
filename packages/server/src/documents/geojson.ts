/** Features of GeoJSON (RFC 7946, section 3.2) as flat documents. */
import type { Line } from './lines.ts'

/**
 * Turns a feature into a document: its `properties` become attributes, its geometry becomes `geometry`, and its `id` counts if no property is
 * named so. Works on the text, so that every digit of a number stays. Other lines stay unchanged.
 */
export const flattenFeature = (line: Line): Line => {
  if (line.fault !== undefined) return line
  const members = new Map(splitMembers(line.text))
  const properties = members.get('properties')
  if (members.get('type') !== '"Feature"' || properties === undefined) return line
  const inner = properties.startsWith('{') ? properties.slice(1, -1).trim() : ''
  const id = members.get('id')
  // The last of two members of one name counts.
  const parts = [
    ...(id === undefined || id === 'null' ? [] : [`"id":${id}`]),
    ...(inner === '' ? [] : [inner]),
    ...(members.has('geometry') ? [`"geometry":${members.get('geometry')}`] : []),
  ]
  return { ...line, text: `{${parts.join(',')}}` }
}

/** Splits the text of a JSON object into names and texts of values. Returns what it can of other texts; parsing them tells what is wrong. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: older than the limit
const splitMembers = (json: string): [string, string][] => {
  const members: [string, string][] = []
  let depth = 0
  let name: string | undefined
  let start = 0
  const finish = (end: number) => {
    if (name !== undefined) members.push([name, json.slice(start, end).trim()])
    name = undefined
    start = end + 1
  }
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index]
    if (character === '"') {
      const textStart = index
      index = findTextEnd(json, index)
      if (depth === 1 && name === undefined) name = json.slice(textStart + 1, index)
    } else if (character === ':' && depth === 1) start = index + 1
    else if (character === ',' && depth === 1) finish(index)
    else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') {
      depth -= 1
      if (depth === 0) finish(index)
    }
  }
  return members
}

/** Returns the position of the quote that ends the text which begins at `start`. */
const findTextEnd = (json: string, start: number): number => {
  let index = start + 1
  while (index < json.length && json[index] !== '"') index += json[index] === '\\' ? 2 : 1
  return index
}
