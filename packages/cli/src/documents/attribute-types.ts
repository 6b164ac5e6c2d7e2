/** TypeScript types of the attributes of documents, as replies return them. */
import {
  type AttributeShape,
  readAttributeShapes,
  type ValueType,
  wholeNameText,
} from '@querent/contract/attribute-shapes'
import type { Collection } from '@querent/contract/workspace-file'
import { writeKey } from '#documents/type-text'

/** A name for the type of places, and the forms that documents have. */
export const placeType = {
  name: 'Place',
  definition:
    "string | [number, number] | { lat: number; lon: number } | { lat: number; lng: number } | { type: 'Point'; coordinates: number[] }",
}

const valueTypes: Readonly<Record<ValueType, string>> = {
  text: 'string',
  number: 'number',
  boolean: 'boolean',
  date: 'string',
  place: placeType.name,
  vector: 'number[]',
}

/** Attribute → TypeScript type of its value. */
export type AttributeTypes = Record<string, { type: string; comment?: string }>

/** Returns the types of the attributes that the fields of these collections declare. */
export const readAttributeTypes = (collections: readonly Collection[]): AttributeTypes =>
  Object.fromEntries(
    [...readAttributeShapes(collections.map(({ fields = {} }) => fields))].map(([name, shape]) => [
      name,
      { type: writeValue(shape), ...(shape.isWholeName ? { comment: wholeNameText } : {}) },
    ]),
  )

/** A document has one value, a list, or null. */
const writeValue = (shape: AttributeShape): string => {
  const types = [...new Set([...shape.types].map(type => valueTypes[type]))]
  if (shape.members.size > 0 || shape.isOpen) types.push(writeObject(shape))
  const [only = 'unknown'] = types
  const list = types.length === 1 && /^\w+$/.test(only) ? `${only}[]` : `(${types.join(' | ')})[]`
  return [...types, list, 'null'].join(' | ')
}

const writeObject = ({ members, isOpen }: AttributeShape): string => {
  if (members.size === 0) return 'Record<string, unknown>'
  const list = [...members].map(([name, member]) => `${writeKey(name)}?: ${writeValue(member)}`)
  return `{ ${[...list, ...(isOpen ? ['[member: string]: unknown'] : [])].join('; ')} }`
}
