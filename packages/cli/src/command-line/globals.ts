/** Options that every command takes. */
export interface Globals {
  data?: string
  json?: true
  server?: string
}

/** An argument as one can paste it into a shell. */
export const quoteArgument = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
