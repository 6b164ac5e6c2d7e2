/** The documents that the tab shows, in the address. */
import type { DocumentFilter } from '#api/documents.ts'

export interface DocumentsSearch {
  search?: string
  where?: Record<string, string>
  /** Field that sorts the documents; `-` before it: the largest first. */
  sort?: string
  /** Id of the document that is open. */
  document?: string
}

const toText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

export const readDocumentsSearch = ({
  search,
  where,
  sort,
  document,
}: Record<string, unknown>): DocumentsSearch => {
  const conditions = typeof where === 'object' && where !== null ? Object.entries(where) : []
  const texts = conditions.flatMap(([field, value]) =>
    toText(value) === '' ? [] : [[field, toText(value)] as const],
  )
  return {
    ...(toText(search) === '' ? {} : { search: toText(search) }),
    ...(texts.length === 0 ? {} : { where: Object.fromEntries(texts) }),
    ...(toText(sort) === '' ? {} : { sort: toText(sort) }),
    ...(toText(document) === '' ? {} : { document: toText(document) }),
  }
}

export const toFilter = ({ search = '', where = {} }: DocumentsSearch): DocumentFilter => ({ search, where })
