/** Keeps the layout of lines that an edit left alone (E. W. Myers, An O(ND) difference algorithm and its variations, 1986). */

/** More lines that differ are not looked for: the memory for it grows with their square. */
const differencesMax = 1000

/**
 * Carries an edit over to another layout of the same text. `written` is how a program writes `original`, `edited` how it writes it after the
 * edit: lines that the edit left alone are as in `original`, the others as in `edited`. Returns `edited` where too many lines differ.
 */
export const mergeLayout = (original: string, written: string, edited: string): string => {
  const [from, base, to] = [original.split('\n'), written.split('\n'), edited.split('\n')]
  const inOriginal = matchLines(from.map(withoutSpace), base.map(withoutSpace))
  const inEdited = matchLines(base, to)
  if (!inOriginal || !inEdited) return edited
  const originalLine = new Map(inOriginal.map(([index, baseIndex]) => [baseIndex, index]))
  const lines: string[] = []
  let next = { from: 0, base: 0, to: 0 }
  const takeUntil = (end: typeof next) => {
    const [own, before, after] = [
      from.slice(next.from, end.from),
      base.slice(next.base, end.base),
      to.slice(next.to, end.to),
    ]
    const isLeft = before.length === after.length && before.every((line, index) => line === after[index])
    // Of several blank lines a program writes one.
    const blanks = own.slice(0, Math.max(0, countBlank(own) - countBlank(before)))
    lines.push(...(isLeft ? own : [...blanks, ...after]))
  }
  for (const [baseIndex, toIndex] of inEdited) {
    const index = originalLine.get(baseIndex)
    if (index === undefined) continue
    takeUntil({ from: index, base: baseIndex, to: toIndex })
    lines.push(from[index] ?? '')
    next = { from: index + 1, base: baseIndex + 1, to: toIndex + 1 }
  }
  takeUntil({ from: from.length, base: base.length, to: to.length })
  return lines.join('\n')
}

/** Blank lines at the beginning. */
const countBlank = (lines: readonly string[]): number => {
  const first = lines.findIndex(line => line.trim() !== '')
  return first === -1 ? lines.length : first
}

const withoutSpace = (line: string): string => line.replaceAll(/\s+/g, '')

/** Positions of equal lines, in order; as many as can be. Undefined: too many differ. */
const matchLines = (
  before: readonly string[],
  after: readonly string[],
): (readonly [number, number])[] | undefined => {
  const limit = Math.min(before.length + after.length, differencesMax)
  const furthest = new Int32Array(2 * limit + 3)
  const rounds: Int32Array[] = []
  for (let differences = 0; differences <= limit; differences++) {
    rounds.push(furthest.slice())
    for (let diagonal = -differences; diagonal <= differences; diagonal += 2) {
      let x = startOf(furthest, limit, differences, diagonal)
      let y = x - diagonal
      while (x < before.length && y < after.length && before[x] === after[y]) {
        x++
        y++
      }
      furthest[limit + 1 + diagonal] = x
      if (x >= before.length && y >= after.length) return traceBack(rounds, limit, x, y)
    }
  }
  return undefined
}

/** Where a diagonal is entered: from the one above, or from the one to its left. */
const startOf = (furthest: Int32Array, limit: number, differences: number, diagonal: number): number => {
  const below = furthest[limit + diagonal] ?? 0
  const above = furthest[limit + 2 + diagonal] ?? 0
  const isDown = diagonal === -differences || (diagonal !== differences && below < above)
  return isDown ? above : below + 1
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
    const start = differences === 0 ? 0 : startOf(furthest, limit, differences, diagonal)
    while (x > start && y > start - diagonal) {
      x--
      y--
      pairs.push([x, y])
    }
    if (differences === 0) break
    const below = furthest[limit + diagonal] ?? 0
    const above = furthest[limit + 2 + diagonal] ?? 0
    const isDown = diagonal === -differences || (diagonal !== differences && below < above)
    if (isDown) y--
    else x--
  }
  return pairs.reverse()
}
