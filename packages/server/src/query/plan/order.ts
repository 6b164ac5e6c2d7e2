/** Decides the order of results (query-service.md, Stacking: Order). */
import { isDeepStrictEqual } from 'node:util'
import { rankingKinds } from '@querent/contract/endpoint-traits'
import type { SortKey } from '#engines/engine'
import type { CollectionView } from './collection-view.ts'
import type { Step, Values } from './step.ts'

/**
 * The last endpoint that ranks or sorts decides, and sorts before it break its ties. Without any, the score decides. A sort by a field that
 * the collection does not have makes everything a tie.
 */
export const decideOrder = (
  stacked: readonly Step[],
  valuesByStep: readonly Values[],
  collection: CollectionView,
): SortKey[] => {
  const order: SortKey[] = []
  let isDecided = false
  for (const [index, step] of [...stacked.entries()].reverse()) {
    if (step.sortKey) {
      isDecided = true
      const key = step.sortKey(valuesByStep[index] ?? [], collection)
      // Repeating a sort breaks no tie.
      if (key && !order.some(existing => isDeepStrictEqual(existing, key))) order.push(key)
    } else if (!isDecided && rankingKinds.includes(step.kind)) {
      isDecided = true
      order.push({ by: 'score' })
    }
  }
  if (!isDecided) order.push({ by: 'score' })
  return order
}
