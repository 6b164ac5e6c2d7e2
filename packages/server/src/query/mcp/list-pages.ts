/** Pages of lists (Model Context Protocol, Pagination). */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'

/** Length of a page as JSON. Every client and the main thread handle it at once. */
export const pageCharactersMax = 128 * 1024
/** Items of a page. */
export const pageItemsMax = 200

interface Page<Item> {
  items: Item[]
  nextCursor?: string
}

const pagesByList = new WeakMap<readonly unknown[], readonly number[]>()

/** Returns where pages begin. Each has at least one item. */
const findStarts = (list: readonly unknown[]): readonly number[] => {
  const cachedStarts = pagesByList.get(list)
  if (cachedStarts) return cachedStarts
  const starts = [0]
  let characters = 0
  for (const [index, item] of list.entries()) {
    const { length } = JSON.stringify(item)
    const start = starts.at(-1) ?? 0
    const isFull = index - start >= pageItemsMax || characters + length > pageCharactersMax
    if (index > start && isFull) {
      starts.push(index)
      characters = 0
    }
    characters += length
  }
  pagesByList.set(list, starts)
  return starts
}

/** Returns the page of a cursor; the first without one. Throws `ProtocolError` for a cursor that no page has. */
export const takePage = <Item>(list: readonly Item[], cursor: string | undefined): Page<Item> => {
  const starts = findStarts(list)
  const page =
    cursor === undefined ? 0 : starts.findIndex((start, index) => index > 0 && String(start) === cursor)
  if (page < 0)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'unknown cursor: list from the beginning')
  const end = starts[page + 1]
  return {
    items: list.slice(starts[page], end),
    ...(end !== undefined && { nextCursor: String(end) }),
  }
}
