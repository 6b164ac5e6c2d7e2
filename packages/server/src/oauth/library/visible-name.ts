/** Names that other servers and programs give themselves or people. */

const nameCharsMax = 60

/** Returns the name without characters that hide or reorder others, at most `charsMax` characters long. */
export const toVisibleName = (name: string, charsMax = nameCharsMax): string =>
  [
    ...name
      .replaceAll(/\p{C}+/gu, '')
      .replaceAll(/\s+/gu, ' ')
      .trim(),
  ]
    .slice(0, charsMax)
    .join('')
