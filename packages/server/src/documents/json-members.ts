/** Splits the text of one JSON value into the texts of its parts, so that every digit of a number stays. */

/** Splits a JSON object into names, as they are between their quotes, and texts of values. Returns what it can of other texts; parsing them tells what is wrong. */
export const splitMembers = (json: string): [string, string][] => {
  const members: [string, string][] = []
  let name: string | undefined
  let start = 0
  const finish = (end: number) => {
    if (name !== undefined) members.push([name, json.slice(start, end).trim()])
    name = undefined
  }
  const isClosed = visitSeparators(json, (character, index) => {
    if (character === ':') name = json.slice(start, index).trim().slice(1, -1)
    else finish(index)
    start = index + 1
  })
  if (!isClosed) finish(json.length)
  return members
}

/** Splits a JSON array into the texts of its items. One that ends early has the items before its end. */
export const splitItems = (json: string): string[] => {
  const items: string[] = []
  let start = 0
  visitSeparators(json, (character, index) => {
    const item = json.slice(start, index).trim()
    if (character !== '[' && item !== '') items.push(item)
    start = index + 1
  })
  return items
}

/** Visits the brackets of the outermost object or list, and the commas and colons in it. Returns whether it is closed. */
const visitSeparators = (json: string, visit: (character: string, index: number) => void): boolean => {
  let depth = 0
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index] ?? ''
    if (character === '"') {
      index = findTextEnd(json, index)
      continue
    }
    const change = depthChange(character)
    depth += Math.max(change, 0)
    if (depth === 1 && (change !== 0 || character === ',' || character === ':')) visit(character, index)
    depth += Math.min(change, 0)
    if (change < 0 && depth === 0) return true
  }
  return false
}

const depthChange = (character: string): number => {
  if (character === '{' || character === '[') return 1
  return character === '}' || character === ']' ? -1 : 0
}

/** Returns the position of the quote that ends the text which begins at `start`. */
const findTextEnd = (json: string, start: number): number => {
  let index = start + 1
  while (index < json.length && json[index] !== '"') index += json[index] === '\\' ? 2 : 1
  return index
}
