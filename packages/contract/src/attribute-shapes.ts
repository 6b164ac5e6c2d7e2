/** Types of the attributes of documents, as replies return them: as they were sent (workspace-file.md, Field types). Pure. */
import { expandFields } from './object-fields.ts'
import type { Field } from './workspace-file.ts'

/** The type of one value. A `place` may have each form in which a document may write one. */
export type ValueType = 'text' | 'number' | 'boolean' | 'date' | 'place' | 'vector'

/** An attribute, or a member of an object. Documents have one value, a list, or null. */
export interface AttributeShape {
  types: Set<ValueType>
  members: Map<string, AttributeShape>
  /** Whether no field declares the members of its objects. */
  isOpen: boolean
  title?: string
  /** Whether its name is a path: see {@link wholeNameText}. */
  isWholeName?: true
}

/** Describes an attribute whose name is a path. */
export const wholeNameText = 'In documents with an attribute of this whole name, such as rows of CSV.'

type Fields = Readonly<Record<string, Field>>
type ValueField = Exclude<Field, { type: 'object' }>

/** Returns the attributes that the fields of some collections declare, by name. Copies and vectors of the server are no attributes. */
export const readAttributeShapes = (collections: Iterable<Fields>): Map<string, AttributeShape> => {
  const root = createShape()
  for (const fields of collections) addFields(root, fields)
  return root.members
}

const createShape = (): AttributeShape => ({ types: new Set(), members: new Map(), isOpen: false })

const addFields = (root: AttributeShape, fields: Fields): void => {
  const names = new Set(Object.keys(expandFields(fields)))
  for (const [name, field] of Object.entries(fields)) {
    if (field.type !== 'object') {
      addValue(root, names, { path: name, prefix: '' }, field)
      continue
    }
    for (const shape of findShapes(root, name)) {
      shape.isOpen ||= field.fields === undefined
      addTitle(shape, field)
    }
    // The elements of a list have the attributes that its fields are made of. Other objects leave them to the document.
    const prefix = field.together ? `${name}.` : ''
    for (const [inner, value] of Object.entries(field.fields ?? {}))
      addValue(root, names, { path: `${name}.${inner}`, prefix, whole: name }, value)
  }
}

interface FieldPath {
  path: string
  /** Precedes the paths that the field is made of. */
  prefix: string
  /** The beginning of the path that is the name of a field, and may have dots. */
  whole?: string
}

/** `names`: those of all fields. The attribute of a copy has its own field, or the type of the copy. */
const addValue = (
  root: AttributeShape,
  names: ReadonlySet<string>,
  { path, prefix, whole }: FieldPath,
  field: ValueField,
): void => {
  if (field.type === 'vector' && field.embed) return
  if (field.type === 'geo' && field.from) {
    for (const attribute of [field.from.lat, field.from.lon].map(name => prefix + name))
      if (!names.has(attribute)) addTypes(findShapes(root, attribute, prefix.slice(0, -1)), textOrNumber)
    return
  }
  const source = field.type === 'vector' || field.source === undefined ? undefined : prefix + field.source
  if (source !== undefined && names.has(source)) return
  const shapes = findShapes(root, source ?? path, source === undefined ? whole : prefix.slice(0, -1))
  addTypes(shapes, valueTypes(field))
  for (const shape of shapes) addTitle(shape, field)
}

const addTypes = (shapes: readonly AttributeShape[], types: readonly ValueType[]): void => {
  for (const shape of shapes) for (const type of types) shape.types.add(type)
}

const addTitle = (shape: AttributeShape, { title }: Field): void => {
  if (title !== undefined) shape.title ??= title
}

/** Returns the shapes at a path: inside objects, and of the attribute with this whole name. */
const findShapes = (root: AttributeShape, path: string, whole = ''): AttributeShape[] => {
  const nested = walk(root, path.split('.'))
  const flatName = whole === '' ? path : whole
  if (!flatName.includes('.')) return [nested]
  const rest = whole === '' ? [] : path.slice(whole.length + 1).split('.')
  const flat = walk(root, [flatName])
  flat.isWholeName = true
  return [nested, walk(flat, rest)]
}

const walk = (root: AttributeShape, steps: readonly string[]): AttributeShape => {
  let shape = root
  for (const step of steps) {
    const member = shape.members.get(step) ?? createShape()
    shape.members.set(step, member)
    shape = member
  }
  return shape
}

const textOrNumber: readonly ValueType[] = ['text', 'number']

/** Returns the types of one value as documents have it. A number with a decimal sign and a place keep the form that was sent. */
const valueTypes = (field: ValueField): readonly ValueType[] => {
  switch (field.type) {
    case 'text':
    case 'keyword':
      return ['text']
    case 'number':
      return field.decimal === undefined && field.listSeparator === undefined ? ['number'] : textOrNumber
    case 'date':
      return field.formats?.some(format => format.startsWith('epoch-')) ? textOrNumber : ['date']
    case 'boolean':
      return ['boolean']
    case 'geo':
      return ['place']
    case 'vector':
      return ['vector']
  }
}
