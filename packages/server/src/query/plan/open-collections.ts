/** The part of an API that a member may use who is limited to some collections (authorization-server.md, Limits of an account). */
import { Problem } from '#errors'
import type { CollectionView } from './collection-view.ts'
import type { Step } from './step.ts'

/** Names of collections. Undefined: all are open. */
export type OpenCollections = ReadonlySet<string> | undefined

/** Leaves out the endpoints that work on closed collections only. */
export const keepOpenSteps = (
  steps: ReadonlyMap<string, Step>,
  views: ReadonlyMap<string, CollectionView>,
  open: OpenCollections,
): ReadonlyMap<string, Step> => {
  if (!open) return steps
  const openViews = keepOpenViews(views, open)
  const isOpen = ({ collection, field }: Step): boolean => {
    if (collection !== undefined) return open.has(collection)
    return field === undefined || [...openViews.values()].some(({ fields }) => fields.has(field))
  }
  return new Map([...steps].filter(([, step]) => isOpen(step)))
}

export const keepOpenViews = (
  views: ReadonlyMap<string, CollectionView>,
  open: OpenCollections,
): ReadonlyMap<string, CollectionView> =>
  open ? new Map([...views].filter(([name]) => open.has(name))) : views

/** The query layer records it as a refusal. The message names nothing that is closed. */
export const closedCollection = (): Problem =>
  new Problem('collection-not-allowed', 'the account may not use this collection')
