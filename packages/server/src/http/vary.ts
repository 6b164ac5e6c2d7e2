import type { FastifyReply } from 'fastify'

/** Adds a request header that the reply depends on (RFC 9110, section 12.5.5). */
export const addVary = (reply: FastifyReply, name: string): void => {
  const known = reply.getHeader('vary')
  reply.header('vary', known === undefined ? name : `${known}, ${name}`)
}
