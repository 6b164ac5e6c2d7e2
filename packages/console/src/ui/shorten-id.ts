/** Longer ids are cut in the middle: those of URIs begin alike. */
const charactersMax = 28
const startCharacters = 8

/** Returns an id short enough for a table, with its end, which tells it apart. */
export const shortenId = (id: string): string =>
  id.length <= charactersMax
    ? id
    : `${id.slice(0, startCharacters)}…${id.slice(startCharacters + 1 - charactersMax)}`
