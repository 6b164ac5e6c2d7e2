/** Merges two edits of a text by line (S. Khanna, K. Kunal and B. C. Pierce, A Formal Investigation of Diff3, 2007). Pure. */
import { matchLines } from './line-merge.ts'

/** Lines that both edits changed, in different ways. */
export interface MergeConflict {
  mine: string
  theirs: string
}

export interface MergedText {
  text: string
  conflicts: MergeConflict[]
}

/**
 * Returns the text with the changes of both. Where both changed the same lines, it has those of `preferred`; where both only added lines, it has
 * theirs, then mine.
 */
export const mergeTexts = (
  base: string,
  mine: string,
  theirs: string,
  preferred: 'mine' | 'theirs',
): MergedText => {
  const [baseLines, myLines, theirLines] = [base, mine, theirs].map(text => text.split('\n')) as [
    string[],
    string[],
    string[],
  ]
  const inMine = new Map(matchLines(baseLines, myLines) ?? [])
  const inTheirs = new Map(matchLines(baseLines, theirLines) ?? [])
  const merged: string[] = []
  const conflicts: MergeConflict[] = []
  let start = { base: 0, mine: 0, theirs: 0 }
  const takeUntil = (end: typeof start) => {
    const parts = {
      base: baseLines.slice(start.base, end.base),
      mine: myLines.slice(start.mine, end.mine),
      theirs: theirLines.slice(start.theirs, end.theirs),
    }
    const conflict = findConflict(parts)
    if (conflict) conflicts.push(conflict)
    merged.push(...(conflict ? parts[preferred] : mergePart(parts)))
  }
  for (const [index, line] of baseLines.entries()) {
    const [mineAt, theirsAt] = [inMine.get(index), inTheirs.get(index)]
    if (mineAt === undefined || theirsAt === undefined) continue
    takeUntil({ base: index, mine: mineAt, theirs: theirsAt })
    merged.push(line)
    start = { base: index + 1, mine: mineAt + 1, theirs: theirsAt + 1 }
  }
  takeUntil({ base: baseLines.length, mine: myLines.length, theirs: theirLines.length })
  return { text: merged.join('\n'), conflicts }
}

interface Parts {
  base: string[]
  mine: string[]
  theirs: string[]
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((line, index) => line === other[index])

const findConflict = ({ base, mine, theirs }: Parts): MergeConflict | undefined =>
  base.length === 0 || isSame(base, mine) || isSame(base, theirs) || isSame(mine, theirs)
    ? undefined
    : { mine: mine.join('\n'), theirs: theirs.join('\n') }

const mergePart = ({ base, mine, theirs }: Parts): string[] => {
  if (isSame(base, mine) || isSame(mine, theirs)) return theirs
  return isSame(base, theirs) ? mine : [...theirs, ...mine]
}
