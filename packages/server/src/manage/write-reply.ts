/** Serializes replies by the operation's schema and drops everything else. */
import type { TSchema } from '@querent/contract/schema'
import write from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify'

/** Fastify's serializer. */
export const replySerializer: FastifySerializerCompiler<TSchema> = ({ schema }) => write(schema)
