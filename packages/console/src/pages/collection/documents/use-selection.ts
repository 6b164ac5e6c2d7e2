import { useRef, useState } from 'react'
import type { ListedDocument } from '#api/documents.ts'

/** The selected documents. They stay selected on other pages, until the filter changes. */
export const useSelection = (filterKey: string, documents: readonly ListedDocument[]) => {
  const [selection, setSelection] = useState({ filterKey, selected: new Map<string, ListedDocument>() })
  const selected = selection.filterKey === filterKey ? selection.selected : new Map<string, ListedDocument>()
  /** Where a selection of several begins. */
  const lastId = useRef<string>(undefined)
  const change = (changed: readonly ListedDocument[], isSelected: boolean) => {
    const next = new Map(selected)
    for (const document of changed) {
      if (isSelected) next.set(document.id, document)
      else next.delete(document.id)
    }
    setSelection({ filterKey, selected: next })
  }
  return {
    selected: [...selected.values()],
    isSelected: (id: string) => selected.has(id),
    isPageSelected: documents.length > 0 && documents.every(({ id }) => selected.has(id)),
    isPartSelected: documents.some(({ id }) => selected.has(id)),
    selectPage: (isSelected: boolean) => change(documents, isSelected),
    /** Selects one document, or with `isRange` all from the last selected one to it. */
    select(id: string, isSelected: boolean, isRange: boolean) {
      const index = documents.findIndex(document => document.id === id)
      const fromIndex = documents.findIndex(document => document.id === lastId.current)
      const start = isRange && fromIndex >= 0 ? fromIndex : index
      lastId.current = id
      change(documents.slice(Math.min(start, index), Math.max(start, index) + 1), isSelected)
    },
    clear: () => setSelection({ filterKey, selected: new Map() }),
  }
}

export type Selection = ReturnType<typeof useSelection>
