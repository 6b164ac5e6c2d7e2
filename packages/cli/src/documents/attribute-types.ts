/** TypeScript types of the attributes of documents, as replies return them: as they were sent (workspace-file.md, Field types). */
import type { Collection, Field } from '@querent/contract/workspace-file'
import { writeKey } from '#documents/type-text'

/** An attribute, or a member of an object. */
interface Shape {
  /** Types of one value. */
  types: Set<string>
  members: Map<string, Shape>
  /** Whether objects have members that no field declares. */
  isOpen: boolean
  /** Why the attribute has this name. */
  comment?: string
}

/** A name for the type of places, and the forms that documents have. */
export const placeType = {
  name: 'Place',
  definition:
    "string | [number, number] | { lat: number; lon: number } | { lat: number; lng: number } | { type: 'Point'; coordinates: number[] }",
}

/** Attribute → TypeScript type of its value. */
export type AttributeTypes = Record<string, { type: string; comment?: string }>

/** Returns the types of the attributes that the fields of these collections declare. Copies and vectors of the server are no attributes. */
export const readAttributeTypes = (collections: readonly Collection[]): AttributeTypes => {
  const root = createShape()
  for (const collection of collections) addCollection(root, collection)
  return Object.fromEntries(
    [...root.members].map(([name, shape]) => [
      name,
      { type: writeValue(shape), ...(shape.comment ? { comment: shape.comment } : {}) },
    ]),
  )
}

const createShape = (): Shape => ({ types: new Set(), members: new Map(), isOpen: false })

const addCollection = (root: Shape, { fields = {} }: Collection): void => {
  for (const [name, field] of Object.entries(fields)) {
    if (field.type === 'geo' && field.from) {
      for (const attribute of [field.from.lat, field.from.lon])
        if (!Object.hasOwn(fields, attribute)) addPath(root, attribute, 'string | number')
      continue
    }
    const source = 'source' in field ? field.source : undefined
    // The attribute of a copy has its own field, or the type of the copy.
    if (source !== undefined && Object.hasOwn(fields, source)) continue
    addField(root, source ?? name, field)
  }
}

const addField = (root: Shape, path: string, field: Field): void => {
  if (field.type === 'object') addObject(root, path, field)
  else if (field.type !== 'vector' || !field.embed) addPath(root, path, valueType(field))
}

const addObject = (root: Shape, path: string, { fields }: Field & { type: 'object' }): void => {
  for (const [inner, field] of Object.entries(fields ?? {}))
    addPath(root, `${path}.${field.source ?? inner}`, valueType(field), path)
  if (fields === undefined) for (const shape of findShapes(root, path)) shape.isOpen = true
}

/** `whole`: the beginning of the path that is the name of a field, and may have dots. */
const addPath = (root: Shape, path: string, type: string, whole = ''): void => {
  for (const shape of findShapes(root, path, whole)) shape.types.add(type)
}

const flatComment = 'In documents with an attribute of this whole name, such as rows of CSV.'

/** Returns the shapes at a path: inside objects, and of the attribute with this whole name. */
const findShapes = (root: Shape, path: string, whole = ''): Shape[] => {
  const nested = walk(root, path.split('.'))
  const flatName = whole === '' ? path : whole
  if (!flatName.includes('.')) return [nested]
  const rest = whole === '' ? [] : path.slice(whole.length + 1).split('.')
  const flat = walk(root, [flatName])
  flat.comment = flatComment
  return [nested, walk(flat, rest)]
}

const walk = (root: Shape, steps: readonly string[]): Shape => {
  let shape = root
  for (const step of steps) {
    const member = shape.members.get(step) ?? createShape()
    shape.members.set(step, member)
    shape = member
  }
  return shape
}

/** Returns the type of one value as documents have it. A number with a decimal sign and a place keep the form that was sent. */
const valueType = (field: Exclude<Field, { type: 'object' }>): string => {
  switch (field.type) {
    case 'text':
    case 'keyword':
      return 'string'
    case 'number':
      return field.decimal === undefined ? 'number' : 'string | number'
    case 'date':
      return field.formats?.some(format => format.startsWith('epoch-')) ? 'string | number' : 'string'
    case 'boolean':
      return 'boolean'
    case 'geo':
      return placeType.name
    case 'vector':
      return 'number[]'
  }
}

/** A document has one value, a list, or null. */
const writeValue = (shape: Shape): string => {
  const types = [...new Set([...shape.types].flatMap(type => type.split(' | ')))]
  if (shape.members.size > 0 || shape.isOpen) types.push(writeObject(shape))
  const [only = 'unknown'] = types
  const list = types.length === 1 && /^\w+$/.test(only) ? `${only}[]` : `(${types.join(' | ')})[]`
  return [...types, list, 'null'].join(' | ')
}

const writeObject = ({ members, isOpen }: Shape): string => {
  if (members.size === 0) return 'Record<string, unknown>'
  const list = [...members].map(([name, member]) => `${writeKey(name)}?: ${writeValue(member)}`)
  return `{ ${[...list, ...(isOpen ? ['[member: string]: unknown'] : [])].join('; ')} }`
}
