/** Returns the number of the line where the last value that nothing closes begins with a quote. */
export const findOpenQuote = (text: string): number => {
  let line = 1
  let openLine = 1
  let isOpen = false
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (character === '\n') line += 1
    if (character !== '"') continue
    if (isOpen && text[index + 1] === '"') index += 1
    else if (isOpen) isOpen = false
    // Within a value, a quote is an ordinary character.
    else if (/^[,;\t|\r\n\ufeff]?$/.test(text[index - 1] ?? '')) {
      isOpen = true
      openLine = line
    }
  }
  return openLine
}
