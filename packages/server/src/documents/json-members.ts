/** Splits the text of one JSON value into the texts of its parts, so that every digit of a number stays. */

/** Splits a JSON object into names, as they are between their quotes, and texts of values. Returns what it can of other texts; parsing them tells what is wrong. */
export const splitMembers = (json: string): [string, string][] => {
  const members: [string, string][] = []
  let depth = 0
  let name: string | undefined
  let start = 0
  const finish = (end: number) => {
    if (name !== undefined) members.push([name, json.slice(start, end).trim()])
    name = undefined
    start = end + 1
  }
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index]
    if (character === '"') {
      const textStart = index
      index = findTextEnd(json, index)
      if (depth === 1 && name === undefined) name = json.slice(textStart + 1, index)
    } else if (character === ':' && depth === 1) start = index + 1
    else if (character === ',' && depth === 1) finish(index)
    else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') {
      depth -= 1
      if (depth === 0) finish(index)
    }
  }
  // The text ends early.
  if (depth > 0) finish(json.length)
  return members
}

/** Splits a JSON array into the texts of its items. One that ends early has the items before its end. */
export const splitItems = (json: string): string[] => {
  const items: string[] = []
  let depth = 0
  let start = 0
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index]
    if (character === '"') index = findTextEnd(json, index)
    else if (character === '[' || character === '{') {
      depth += 1
      if (depth === 1) start = index + 1
    } else if (depth === 1 && (character === ',' || character === ']')) {
      const item = json.slice(start, index).trim()
      if (item !== '') items.push(item)
      start = index + 1
      if (character === ']') break
    } else if (character === ']' || character === '}') depth -= 1
  }
  return items
}

/** Returns the position of the quote that ends the text which begins at `start`. */
const findTextEnd = (json: string, start: number): number => {
  let index = start + 1
  while (index < json.length && json[index] !== '"') index += json[index] === '\\' ? 2 : 1
  return index
}
