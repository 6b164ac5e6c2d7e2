/** The title of a document, for readers. */
import type { CollectionView } from '#query/plan/collection-view'

/** Names that usually hold a title, in this order. */
const usualNames = ['title', 'name', 'label', 'heading', 'subject']

/** Returns the value of the field that looks like a title, of the first text field otherwise, or the id. */
export const readTitle = (
  view: CollectionView | undefined,
  id: string,
  attributes: Readonly<Record<string, unknown>>,
): string => {
  const textFields = [...(view?.fields ?? [])].flatMap(([name, { type }]) => (type === 'text' ? [name] : []))
  for (const name of [...usualNames, ...textFields]) {
    const value = attributes[name]
    const first: unknown = Array.isArray(value) ? value[0] : value
    if (typeof first === 'string' && first.trim() !== '') return first
  }
  return id
}
