/** Features of GeoJSON (RFC 7946, section 3.2) as flat documents. */
import { splitMembers } from './json-members.ts'
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
