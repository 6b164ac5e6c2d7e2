/** What decides the order of results (query-service.md, Stacking: Order). */
import type { EndpointKind } from '@querent/contract/workspace-file'
import type { SortKey } from '#engines/engine'
import type { CollectionView } from './collection-view.ts'
import type { Step } from './steps.ts'

const rankingKinds: ReadonlySet<EndpointKind> = new Set(['match', 'similar', 'nearest', 'mix'])

/**
 * The last endpoint that ranks or sorts decides, sorts before it break its ties, and without any the score decides.
 * A sort by a field that the collection does not have finds all values missing: all are ties.
 */
export const orderOf = (stacked: readonly Step[], { fields }: CollectionView): SortKey[] => {
  const order: SortKey[] = []
  let isDecided = false
  for (let index = stacked.length - 1; index >= 0; index--) {
    const step = stacked[index]
    if (step === undefined) continue
    if (step.kind === 'sort') {
      isDecided = true
      const { field } = step
      // The same sort again breaks no tie.
      const isRepeated = order.some(
        key => key.by === 'field' && key.field === field && key.order === step.order,
      )
      if (field !== undefined && fields.has(field) && !isRepeated)
        order.push({ by: 'field', field, order: step.order })
    } else if (!isDecided && rankingKinds.has(step.kind)) {
      isDecided = true
      order.push({ by: 'score' })
    }
  }
  if (!isDecided) order.push({ by: 'score' })
  return order
}
