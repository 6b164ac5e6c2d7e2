/** Checks what was sent by the operation's schemas, in words for who sent it. */
import type { Fault } from '@querent/contract/schema-faults'
import { schemaFaults } from '@querent/contract/schema-faults'
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Problem } from '#errors'

const partNames: Readonly<Record<string, string>> = {
  body: 'body',
  params: 'path',
  querystring: 'query',
}

/** 400 that names every place, in its message the first. `part` is where the value stood; people read the rest. Undefined when there is no fault. */
export const problemOfFaults = (
  part: string,
  faults: readonly Pick<Fault, 'path' | 'message'>[],
): Problem | undefined => {
  const [first] = faults
  const errors = faults.map(({ path, message }) => ({ path: [part, ...path].join('.'), message }))
  const place = first && (first.path.length > 0 ? first.path.join('.') : `the ${part}`)
  return first && new Problem('bad-parameter', `${place}: ${first.message}`, { errors })
}

/** 400 for one place in the body. */
export const badInput = (path: Fault['path'], message: string): Problem => {
  const problem = problemOfFaults('body', [{ path, message }])
  if (!problem) throw new Error('a fault makes a problem')
  return problem
}

/**
 * Fastify's validator. Values of the query are text: those of an integer are read as decimal numbers. A body that may be empty may be
 * left out. Nothing else is converted, nothing is removed.
 */
export const inputValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart = 'body' }) => {
  const isQuery = httpPart === 'querystring'
  return (sent: unknown) => {
    const value = isQuery ? readIntegers(schema, sent) : (sent ?? empty(schema))
    const error = problemOfFaults(partNames[httpPart] ?? httpPart, schemaFaults(schema, value))
    return error ? { error } : { value }
  }
}

/** Throws 400 for a body of `null`: to the validator it looks like none. */
export const refuseNull = (body: unknown): void => {
  if (body === null) throw new Problem('bad-parameter', 'the body: found null, allowed: an object')
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
