/** Schemas of the attributes of documents, as replies return them. */
import {
  type AttributeShape,
  readAttributeShapes,
  type ValueType,
  wholeNameText,
} from '@querent/contract/attribute-shapes'
import { expandFields } from '@querent/contract/object-fields'
import type { Field } from '@querent/contract/workspace-file'
import { schemaReference } from '#http/openapi'
import type { Schema } from '#http/openapi-schemas'
import { pascalCase } from './names.ts'

export type Properties = Readonly<Record<string, Schema>>

const text: Schema = { type: 'string' }
const number: Schema = { type: 'number' }
const anyObject: Schema = { type: 'object', additionalProperties: true }
const numberList: Schema = { type: 'array', items: number }
const object = (properties: Properties): Schema => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
})

const single: Readonly<Record<ValueType, Schema>> = {
  text,
  number,
  boolean: { type: 'boolean' },
  date: text,
  place: schemaReference('Place'),
  vector: numberList,
}

/** Documents have one value, a list, or null. */
const oneOrList = (description: string, ...values: readonly Schema[]): Schema => {
  const [value = {}, ...others] = values
  const items = others.length === 0 ? value : { anyOf: values }
  return { description, anyOf: [...values, { type: 'array', items }, { type: 'null' }] }
}

/** The schemas that attributes refer to. */
export const valueSchemas: Properties = {
  TextValue: oneOrList('A text, or a list of texts', text),
  NumberValue: oneOrList('A number, or a list of numbers', number),
  TextOrNumberValue: oneOrList('A number or a text such as 1.509,52, or a list of them', text, number),
  BooleanValue: oneOrList('True or false, or a list of them', single.boolean),
  DateValue: oneOrList('A date or date-time in a form of its field, or a list of them', single.date),
  PlaceValue: oneOrList('A place, or a list of places', single.place),
  ObjectValue: oneOrList('An object, or a list of objects', anyObject),
  // Java clients of OpenAPI Generator cannot read a choice between lists of different items.
  VectorValue: {
    description: 'A vector, or a list of vectors',
    anyOf: [{ type: 'array', items: schemaReference('VectorItem') }, { type: 'null' }],
  },
  VectorItem: { description: 'A number of a vector, or a vector of a list', anyOf: [number, numberList] },
  Place: {
    description: 'Decimal degrees of WGS84, in the form that was sent',
    anyOf: [text, numberList, ...['PlaceLatLon', 'PlaceLatLng', 'PlacePoint'].map(schemaReference)],
  },
  PlaceLatLon: object({ lat: number, lon: number }),
  PlaceLatLng: object({ lat: number, lng: number }),
  PlacePoint: {
    ...object({ type: { type: 'string', enum: ['Point'] }, coordinates: numberList }),
    description: 'A point of GeoJSON: the longitude, then the latitude',
  },
}

const valueSchemaNames: Readonly<Record<ValueType, string>> = {
  text: 'TextValue',
  number: 'NumberValue',
  boolean: 'BooleanValue',
  date: 'DateValue',
  place: 'PlaceValue',
  vector: 'VectorValue',
}

interface AttributeSchemas {
  properties: Properties
  /** Schemas of objects, and of the values that have them. */
  objects: Record<string, Schema>
  /** The size of all of them in JSON. */
  bytes: number
}

/** Longer paths take too much time, and their schemas would be too large. */
const pathStepsMax = 10_000

const countSteps = (fields: Readonly<Record<string, Field>>): number =>
  Object.keys(expandFields(fields)).reduce((steps, path) => steps + path.split('.').length, 0)

/** Makes the schemas of the attributes of a collection; undefined if they are too large. Names of objects start with `prefix`. */
export const attributeSchemas = (
  prefix: string,
  fields: Readonly<Record<string, Field>>,
  uniqueName: (name: string) => string,
  bytesMax: number,
): AttributeSchemas | undefined => {
  if (countSteps(fields) > pathStepsMax) return undefined
  const objects: Record<string, Schema> = {}
  let bytes = 0
  const count = (schema: Schema): Schema => {
    bytes += Buffer.byteLength(JSON.stringify(schema))
    return schema
  }
  const writeProperties = (members: AttributeShape['members'], path: readonly string[]): Properties => {
    const properties = new Map<string, Schema>()
    for (const [name, shape] of members) {
      if (bytes > bytesMax) break
      const description = shape.isWholeName ? wholeNameText : shape.title
      const value = writeValue(shape, [...path, name])
      properties.set(name, { ...value, ...(description !== undefined && { description }) })
      count({ [name]: properties.get(name) })
    }
    return Object.fromEntries(properties)
  }
  const writeObject = ({ members }: AttributeShape, path: readonly string[]): Schema => {
    if (members.size === 0) return anyObject
    const name = uniqueName(pascalCase([prefix, ...path]))
    objects[name] = { ...anyObject, properties: writeProperties(members, path) }
    return count(schemaReference(name))
  }
  const writeValue = (shape: AttributeShape, path: readonly string[]): Schema => {
    const schemaName = findValueSchema(shape)
    if (schemaName !== undefined) return schemaReference(schemaName)
    const values = [...new Set([...shape.types].map(type => single[type]))]
    if (hasObjects(shape)) values.push(writeObject(shape, path))
    const name = uniqueName(pascalCase([prefix, ...path, 'Value']))
    objects[name] = count(oneOrList(`A value of ${path.join('.')}, or a list of them`, ...values))
    return schemaReference(name)
  }
  const properties = writeProperties(readAttributeShapes([fields]), [])
  return bytes > bytesMax ? undefined : { properties, objects, bytes }
}

const hasObjects = ({ members, isOpen }: AttributeShape): boolean => members.size > 0 || isOpen

/** Undefined: the values need a schema of their own. */
const findValueSchema = (shape: AttributeShape): string | undefined => {
  const { types, members } = shape
  const [type, ...others] = types
  if (type === undefined) return members.size === 0 ? 'ObjectValue' : undefined
  if (hasObjects(shape)) return undefined
  if (others.length === 0) return valueSchemaNames[type]
  return types.size === 2 && types.has('text') && types.has('number') ? 'TextOrNumberValue' : undefined
}
