/** Bytes that the readers of JSON look for (RFC 8259, section 2). */
const code = (character: string): number => character.charCodeAt(0)

export const [lineFeed, quote, backslash, comma, colon] = [
  code('\n'),
  code('"'),
  code('\\'),
  code(','),
  code(':'),
]
export const [openArray, closeArray, openObject, closeObject] = [code('['), code(']'), code('{'), code('}')]
