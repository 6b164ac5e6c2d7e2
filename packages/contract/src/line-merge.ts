/** Keeps the layout of unchanged lines (E. W. Myers, An O(ND) difference algorithm and its variations, 1986). */

/** Limits the memory, which grows with the square of the number of different lines. */
const differencesMax = 1000

/**
 * Applies an edit to another layout of the same text. `rendered` is `original` as a program writes it, `edited` is the same after the edit.
 * Unchanged lines come from `original`, changed lines from `edited`. Returns `edited` if too many lines differ.
 */
export const mergeLayout = (original: string, rendered: string, edited: string): string => {
  const originalLines = original.split('\n')
  const renderedLines = rendered.split('\n')
  const editedLines = edited.split('\n')
  const inOriginal = matchLines(originalLines.map(withoutSpace), renderedLines.map(withoutSpace))
  const inEdited = matchLines(renderedLines, editedLines)
  if (!inOriginal || !inEdited) return edited
  const originalIndexes = new Map(inOriginal.map(([index, renderedIndex]) => [renderedIndex, index]))
  const lines: string[] = []
  let start = { original: 0, rendered: 0, edited: 0 }
  const takeUntil = (end: typeof start) => {
    const layout = originalLines.slice(start.original, end.original)
    const previous = renderedLines.slice(start.rendered, end.rendered)
    const next = editedLines.slice(start.edited, end.edited)
    const isUnchanged =
      previous.length === next.length && previous.every((line, index) => line === next[index])
    // A program writes several blank lines as one.
    const blanks = layout.slice(0, Math.max(0, countBlank(layout) - countBlank(previous)))
    lines.push(...(isUnchanged ? layout : [...blanks, ...next]))
  }
  for (const [renderedIndex, editedIndex] of inEdited) {
    const index = originalIndexes.get(renderedIndex)
    if (index === undefined) continue
    takeUntil({ original: index, rendered: renderedIndex, edited: editedIndex })
    lines.push(originalLines[index] ?? '')
    start = { original: index + 1, rendered: renderedIndex + 1, edited: editedIndex + 1 }
  }
  takeUntil({ original: originalLines.length, rendered: renderedLines.length, edited: editedLines.length })
  return lines.join('\n')
}

/** Counts the blank lines at the start. */
const countBlank = (lines: readonly string[]): number => {
  const first = lines.findIndex(line => line.trim() !== '')
  return first === -1 ? lines.length : first
}

const withoutSpace = (line: string): string => line.replaceAll(/\s+/g, '')

/** Returns the positions of a longest common subsequence of lines. Undefined if too many lines differ. */
export const matchLines = (
  oldLines: readonly string[],
  newLines: readonly string[],
): (readonly [number, number])[] | undefined => {
  const limit = Math.min(oldLines.length + newLines.length, differencesMax)
  const furthest = new Int32Array(2 * limit + 3)
  const rounds: Int32Array[] = []
  for (let differences = 0; differences <= limit; differences++) {
    rounds.push(furthest.slice())
    for (let diagonal = -differences; diagonal <= differences; diagonal += 2) {
      let x = startOfDiagonal(furthest, limit, differences, diagonal)
      let y = x - diagonal
      while (x < oldLines.length && y < newLines.length && oldLines[x] === newLines[y]) {
        x++
        y++
      }
      furthest[limit + 1 + diagonal] = x
      if (x >= oldLines.length && y >= newLines.length) return traceBack(rounds, limit, x, y)
    }
  }
  return undefined
}

/** Returns the x at which the path enters a diagonal: from the one above it, or from the one to its left. */
const startOfDiagonal = (
  furthest: Int32Array,
  limit: number,
  differences: number,
  diagonal: number,
): number => {
  const fromLeft = furthest[limit + diagonal] ?? 0
  const fromTop = furthest[limit + 2 + diagonal] ?? 0
  const isDown = diagonal === -differences || (diagonal !== differences && fromLeft < fromTop)
  return isDown ? fromTop : fromLeft + 1
}

const traceBack = (
  rounds: readonly Int32Array[],
  limit: number,
  endX: number,
  endY: number,
): (readonly [number, number])[] => {
  const pairs: (readonly [number, number])[] = []
  let [x, y] = [endX, endY]
  for (let differences = rounds.length - 1; differences >= 0; differences--) {
    const furthest = rounds[differences]
    if (!furthest) break
    const diagonal = x - y
    const start = differences === 0 ? 0 : startOfDiagonal(furthest, limit, differences, diagonal)
    while (x > start && y > start - diagonal) {
      x--
      y--
      pairs.push([x, y])
    }
    if (differences === 0) break
    const fromLeft = furthest[limit + diagonal] ?? 0
    const fromTop = furthest[limit + 2 + diagonal] ?? 0
    const isDown = diagonal === -differences || (diagonal !== differences && fromLeft < fromTop)
    if (isDown) y--
    else x--
  }
  return pairs.reverse()
}
