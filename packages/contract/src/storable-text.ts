/** Text that every storage keeps as it is: PostgreSQL has no U+0000, and UTF-8 no lone surrogates. */

export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** Returns the offset of the first character that not every storage keeps; undefined if there is none. */
export const findUnstorable = (text: string): number | undefined => {
  if (isStorable(text)) return undefined
  // With the flag `u`, a pair of surrogates is one character.
  return text.search(/\0|\p{Surrogate}/u)
}
