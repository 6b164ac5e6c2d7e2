/** What headers of a reply are set on: Fastify's reply, or one that is written without it. */
export interface Headed {
  header(name: string, value: string | number): unknown
  getHeader(name: string): number | string | string[] | undefined
}

/** Adds a request header that the reply depends on (RFC 9110, section 12.5.5). */
export const addVary = (reply: Headed, name: string): void => {
  const known = reply.getHeader('vary')
  reply.header('vary', known === undefined ? name : `${known}, ${name}`)
}
