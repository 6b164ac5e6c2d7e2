/**
 * Returns the ids of lines that a person has typed. An id may have commas, so a line is one id if a document has it, and several if each part
 * between commas is the id of a document.
 */
export const splitIds = async (
  typedLines: readonly string[],
  hasDocument: (id: string) => Promise<boolean>,
): Promise<string[]> => {
  const ids = await Promise.all(
    typedLines.map(async line => {
      const parts = line
        .split(',')
        .map(part => part.trim())
        .filter(part => part !== '')
      if (parts.length < 2 || parts.length > partsMax || (await hasDocument(line))) return [line]
      const areDocuments = await Promise.all(parts.map(hasDocument))
      return areDocuments.every(Boolean) ? parts : [line]
    }),
  )
  return ids.flat()
}

/** Each part takes a request. */
const partsMax = 50
