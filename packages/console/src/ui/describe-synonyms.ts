import type { SynonymSet } from '@querent/contract/workspace-file'

/** Writes a set as people read it: `tv, television`, or `js → javascript` for one way. */
export const describeSynonyms = (set: SynonymSet): string =>
  Array.isArray(set) ? set.join(', ') : `${set.from.join(', ')} → ${set.to.join(', ')}`
