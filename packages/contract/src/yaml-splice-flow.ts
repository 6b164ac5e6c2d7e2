/** Removes and adds entries between brackets of a YAML text. */
import { isPair, type YAMLMap, type YAMLSeq } from 'yaml'
import {
  type Editor,
  isAloneOnLine,
  lineStart,
  readKey,
  readRange,
  UnsupportedLayout,
} from './yaml-layout.ts'

/** New ones come behind the first `keptUntil`, by default at the end. */
export const spliceFlow = (
  editor: Editor,
  node: YAMLMap | YAMLSeq,
  removed: ReadonlySet<string> | ReadonlySet<number>,
  newEntries: readonly string[],
  keptUntil = node.items.length,
): void => {
  const { text, style, splices } = editor
  let added = newEntries
  const places = node.items.map((item, index): Place => {
    const [from, to] = isPair(item)
      ? [readRange(item.key)[0], readRange(item.value ?? item.key)[1]]
      : readRange(item)
    const isGone = (removed as ReadonlySet<unknown>).has(isPair(item) ? readKey(item.key) : index)
    return { from, to, isGone }
  })
  const [first] = places
  const last = places.at(-1)
  if (!first || !last) throw new UnsupportedLayout()
  const startsLine = isAloneOnLine(text, last.from)
  const separator = startsLine
    ? `,${style.newline}${text.slice(lineStart(text, last.from), last.from)}`
    : ', '
  if (last.isGone && added.length > 0) {
    splices.push({ from: last.from, to: last.to, text: added.join(separator) })
    last.isGone = false
    added = []
  }
  for (const [index, { isGone }] of places.entries())
    if (isGone) splices.push(removalSplice(text, places, index))
  if (added.length === 0) return
  const predecessor = keptUntil === 0 ? undefined : places[keptUntil - 1]
  if (predecessor)
    splices.push({
      from: predecessor.to,
      to: predecessor.to,
      text: added.map(entry => `${separator}${entry}`).join(''),
    })
  else
    splices.push({
      from: first.from,
      to: first.from,
      text: added.map(entry => `${entry}${separator}`).join(''),
    })
}

/** An entry between the brackets. */
interface Place {
  from: number
  to: number
  isGone: boolean
}

/** Removes an entry with one of the commas beside it. */
const removalSplice = (text: string, places: readonly Place[], index: number) => {
  const { from = 0, to = 0 } = places[index] ?? {}
  const next = places[index + 1]
  const previous = places.slice(0, index).findLast(place => !place.isGone)
  const comma = /^\s*,[ \t]*/.exec(text.slice(to))?.[0].length ?? 0
  if (next && places.slice(index).some(place => !place.isGone))
    return { from, to: text.slice(to, next.from).includes('#') ? to + comma : next.from, text: '' }
  const start = places[index - 1]?.to ?? from
  // A comment behind the previous entry stays, and so does the comma before it.
  const keepsComma = previous === undefined || text.slice(start, from).includes('#')
  return keepsComma ? { from, to: to + comma, text: '' } : { from: start, to, text: '' }
}
