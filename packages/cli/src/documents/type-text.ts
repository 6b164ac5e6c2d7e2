/** Names and texts in TypeScript. */

export const writeText = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll("'", "\\'").replaceAll('\\"', '"')}'`

export const writeKey = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : writeText(name))
