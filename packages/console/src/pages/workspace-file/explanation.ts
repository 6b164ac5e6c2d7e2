/** Explains a key or a value of the workspace file, from its JSON Schema. */
import { describeTypes, findSchemas, listValues, type Schema } from './schema-lookup.ts'
import { readContext } from './yaml-context.ts'

const wordCharacter = /[\w-]/

export interface Explanation {
  /** The word in the text. */
  from: number
  to: number
  /** The path of the key, with dots. */
  title: string
  description: string
  /** Allowed values or types; empty if there is nothing to say. */
  allowed: string
}

/** Returns undefined if the position is in no word that the schema describes. */
export const explainWord = (schema: Schema, text: string, position: number): Explanation | undefined => {
  let from = position
  while (from > 0 && wordCharacter.test(text[from - 1] ?? '')) from -= 1
  let end = position
  while (wordCharacter.test(text[end] ?? '')) end += 1
  if (from === end) return undefined
  // At its beginning, a key is not yet part of the path.
  const place = readContext(text, from)
  if (!place) return undefined
  const key = text.slice(from, end)
  const isKey = place.position === 'key'
  const path = isKey ? [...place.path, key] : place.path
  const schemas = findSchemas(schema, path, place.scalars)
  const description = schemas.find(found => found.description)?.description
  if (description === undefined) return undefined
  const values = [...new Set(schemas.flatMap(listValues))]
  return {
    from,
    to: end,
    title: path.filter(step => step !== '[]').join('.'),
    description,
    allowed: values.length > 0 ? values.join(', ') : describeTypes(schemas),
  }
}
