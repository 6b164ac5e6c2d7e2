/** Checks what was sent by the operation's schemas, in words for who sent it. */
import type { TSchema } from '@querent/contract/schema'
import { schemaFaults } from '@querent/contract/schema-faults'
import type { FastifySchemaCompiler } from 'fastify'
import { makeFaultsProblem } from './validation-problem.ts'

const partNames: Readonly<Record<string, string>> = {
  body: 'body',
  params: 'path',
  querystring: 'query',
}

/**
 * Fastify's validator. Values of the query are text: those of an integer are read as decimal numbers. A body that may be empty may be
 * left out. Nothing else is converted, nothing is removed.
 */
export const inputValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart = 'body' }) => {
  const isQuery = httpPart === 'querystring'
  return (sent: unknown) => {
    const value = isQuery ? readIntegers(schema, sent) : (sent ?? empty(schema))
    const error = makeFaultsProblem(partNames[httpPart] ?? httpPart, schemaFaults(schema, value))
    return error ? { error } : { value }
  }
}

/** Where nothing has to be sent, no body means the same as one without members. */
const empty = (schema: TSchema): object | undefined => {
  const { required = [] } = schema as { required?: string[] }
  return required.length === 0 ? {} : undefined
}

const readIntegers = (schema: TSchema, sent: unknown): unknown => {
  // Schemas of queries are objects; TSchema says nothing of their properties.
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> }
  if (typeof sent !== 'object' || sent === null) return sent
  return Object.fromEntries(
    Object.entries(sent)
      // An unknown one is ignored, as everywhere (query-service.md, Paths).
      .filter(([name]) => Object.hasOwn(properties, name))
      .map(([name, value]) => [
        name,
        properties[name]?.type === 'integer' && typeof value === 'string' && /^-?[0-9]{1,15}$/.test(value)
          ? Number(value)
          : value,
      ]),
  )
}
