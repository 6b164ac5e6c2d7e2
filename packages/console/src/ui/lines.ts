/** Splits text into trimmed lines, without empty ones. */
export const lines = (text: string): string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')

/** Returns the different addresses in a text: one on each line, separated by signs, or as mail programs write them, `Dave <dave@example.org>`. */
export const splitAddresses = (text: string): string[] => [
  ...new Set(
    text
      .replace(/(?:"[^"\n]*"\s*|[^",;<>\n]*)<([^<>\s]+)>/g, ' $1 ')
      .split(/[\s,;]+/)
      .filter(part => part !== ''),
  ),
]
