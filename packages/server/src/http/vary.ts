/** A reply with headers: Fastify's, or one that is written without it. */
export interface HeaderWriter {
  header(name: string, value: string | number): unknown
  getHeader(name: string): number | string | string[] | undefined
}

/** Adds a request header that the reply depends on (RFC 9110, section 12.5.5). */
export const addVary = (reply: HeaderWriter, name: string): void => {
  const currentValue = reply.getHeader('vary')
  reply.header('vary', currentValue === undefined ? name : `${currentValue}, ${name}`)
}
