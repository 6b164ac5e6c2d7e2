/** Shared state of the tabs of a collection. */
import type { CollectionSummary } from '@querent/contract/manage'
import { createContext, useContext } from 'react'
import type { useImport } from './use-import.ts'

/** Route of the frame; those of the tabs are below it. */
export const collectionRoute = '/signed-in/w/$workspace/data/$collection'

interface CollectionContextValue {
  workspace: string
  summary: CollectionSummary
  /** The import goes on while the person looks at another tab. */
  upload: ReturnType<typeof useImport>
}

export const CollectionContext = createContext<CollectionContextValue | undefined>(undefined)

/** Returns the collection of the page. Throws outside of it. */
export const useCollection = (): CollectionContextValue => {
  const value = useContext(CollectionContext)
  if (!value) throw new Error('useCollection is called outside the page of a collection')
  return value
}
