/** How Fastify validates input and serializes replies by the operation's schemas. */
import type { TSchema } from '@querent/contract/schema'
import { schemaFaults } from '@querent/contract/schema-faults'
import write from 'fast-json-stringify'
import type { FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify'
import { makeFaultsProblem } from './validation-problem.ts'

const partNames: Readonly<Record<string, string>> = {
  body: 'body',
  params: 'path',
  querystring: 'query',
}

/**
 * Fastify's validator. Converts only integers of the query from text, and a missing optional body to an empty
 * object. Removes nothing.
 */
export const inputValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart = 'body' }) => {
  const isQuery = httpPart === 'querystring'
  return (input: unknown) => {
    const value = isQuery ? readIntegers(schema, input) : (input ?? emptyInput(schema))
    const error = makeFaultsProblem(partNames[httpPart] ?? httpPart, schemaFaults(schema, value))
    return error ? { error } : { value }
  }
}

/** Servers of one process share them: compiling those of all operations takes two seconds. */
const serializers = new WeakMap<TSchema, ReturnType<typeof write>>()

/** Fastify's serializer. Drops what the schema does not have. */
export const replySerializer: FastifySerializerCompiler<TSchema> = ({ schema }) => {
  const serializer = serializers.get(schema) ?? write(schema)
  serializers.set(schema, serializer)
  return serializer
}

/** If nothing is required, a missing body is the same as an empty one. */
const emptyInput = (schema: TSchema): object | undefined => {
  const { required = [] } = schema as { required?: string[] }
  return required.length === 0 ? {} : undefined
}

const readIntegers = (schema: TSchema, input: unknown): unknown => {
  // Query schemas are objects; TSchema does not declare their properties.
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> }
  if (typeof input !== 'object' || input === null) return input
  return Object.fromEntries(
    Object.entries(input)
      // Unknown parameters are ignored.
      .filter(([name]) => Object.hasOwn(properties, name))
      .map(([name, value]) => [
        name,
        properties[name]?.type === 'integer' && typeof value === 'string' && /^-?[0-9]{1,15}$/.test(value)
          ? Number(value)
          : value,
      ]),
  )
}
