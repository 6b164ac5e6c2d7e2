/** Options that every command takes. */
export interface Globals {
  data?: string
  json?: true
  server?: string
}

/** Quotes an argument so that it can be pasted into a shell. */
export const quoteArgument = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
