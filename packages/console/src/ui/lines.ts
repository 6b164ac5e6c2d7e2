/** What stands in a field of many lines, one on each: trimmed, empty ones left out. */
export const lines = (text: string): string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
