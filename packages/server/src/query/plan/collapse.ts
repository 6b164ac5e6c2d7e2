/** The place of `collapse` in a stack, and what it makes of a plan (query-service.md, collapse). */
import { rankingKinds } from '@querent/contract/endpoint-traits'
import type { Collapse } from '#engines/engine'
import { Problem } from '#errors'
import type { CollectionView } from './collection-view.ts'
import type { Step } from './step.ts'

/** Documents of one page. */
export const pageDocumentsMax = 1000

/** Throws Problem `bad-path` if the stack has two, or an endpoint that ranks after it. */
export const checkCollapsePlace = (stacked: readonly Step[]): void => {
  const index = stacked.findIndex(({ collapse }) => collapse !== undefined)
  if (index < 0) return
  const name = stacked[index]?.name ?? ''
  for (const step of stacked.slice(index + 1)) {
    if (step.collapse)
      throw new Problem('bad-path', `"${step.name}" and "${name}" both collapse the results: use one of them`)
    if (rankingKinds.includes(step.kind))
      throw new Problem('bad-path', `"${step.name}" ranks the results: put it before "${name}"`)
  }
}

/** Returns how the stack collapses. Throws Problem `bad-path` if the collection has no such field. */
export const readCollapse = (
  stacked: readonly Step[],
  { name, fields }: CollectionView,
): Collapse | undefined => {
  const step = stacked.find(({ collapse }) => collapse !== undefined)
  if (!step?.collapse) return undefined
  const { field } = step.collapse
  const type = fields.get(field)?.type
  if (type !== 'keyword' && type !== 'number')
    throw new Problem(
      'bad-path',
      `"${step.name}" collapses by "${field}", which is no keyword or number field of the collection "${name}"`,
    )
  return step.collapse
}

/** Throws Problem `bad-option` if a page may have too many documents. */
export const checkPageSize = ({ best }: Collapse, count: number): void => {
  if (count * best > pageDocumentsMax)
    throw new Problem(
      'bad-option',
      `the option "count" is ${count}; allowed is 1 to ${Math.floor(pageDocumentsMax / best)}, because each result has up to ${best} documents`,
    )
}
