/** Reads the id that a document states, and makes the ids of collections with generated ids. */
import { createHash } from 'node:crypto'
import { readRawNumber } from '@querent/contract/exact-json'
import { readPath } from '@querent/contract/read-path'
import type { Collection } from '@querent/contract/workspace-file'

/** Names a document whose id is generated. */
export interface DocumentPlace {
  /** Position in the import, from 1. */
  row?: number
  /** The id in the address, or the generated id that an update states. */
  id?: string
}

type Members = Readonly<Record<string, unknown>>

export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && readRawNumber(value) === undefined

/** Returns the id in the field of the id as text, or what is wrong with it. `describe` writes a value for an error. */
export const readStatedId = (
  document: Members,
  idField: string,
  describe: (value: unknown) => string,
): string | { message: string } => {
  const statedId = Object.hasOwn(document, idField) ? document[idField] : undefined
  if (statedId === undefined || statedId === null)
    return {
      message: `the id is missing: "${idField}" must be text or a number${isInside(document, idField) ? ', and no part of an object' : ''}`,
    }
  if (typeof statedId !== 'string' && !Number.isFinite(statedId))
    return { message: `"${idField}": found ${describe(statedId)}, allowed: text or a number` }
  if (typeof statedId === 'number' && Math.abs(statedId) > Number.MAX_SAFE_INTEGER)
    return {
      message: `"${idField}": a number beyond ${Number.MAX_SAFE_INTEGER} loses digits; write it as text, in quotes`,
    }
  return statedId === ''
    ? { message: `"${idField}": found "", allowed: an id that is not empty` }
    : String(statedId)
}

/** Whether the name is a path to a value, as `_id.$oid` in exports of MongoDB. An id has no path. */
const isInside = (document: Members, name: string): boolean =>
  name.includes('.') && readPath(document, name) !== undefined

/** Form of a generated hash. */
const hashPattern = /^[0-9a-f]{32}$/

/**
 * Makes the id of a document, and leaves out an attribute `id` that is this id: a document that was read here keeps its id when it is sent
 * again.
 */
export const generateId = (
  generated: NonNullable<NonNullable<Collection['id']>['generate']>,
  sent: Record<string, unknown>,
  { row, id: addressed }: DocumentPlace,
): { id: string | { message: string }; document: Record<string, unknown> } => {
  const stated = Object.hasOwn(sent, 'id') ? sent.id : undefined
  if (addressed !== undefined) {
    const { id: _, ...others } = sent
    return { id: addressed, document: stated === addressed ? others : sent }
  }
  if (generated === 'row') {
    if (row === undefined)
      return {
        id: { message: 'the ids of this collection are positions in an import with replace=true' },
        document: sent,
      }
    const { id: _, ...others } = sent
    return { id: String(row), document: stated === String(row) ? others : sent }
  }
  if (typeof stated === 'string' && hashPattern.test(stated)) {
    const { id: _, ...others } = sent
    if (hashDocument(others) === stated) return { id: stated, document: others }
  }
  return { id: hashDocument(sent), document: sent }
}

/** 32 hexadecimal digits of SHA-256 of the document as JSON with sorted keys. */
const hashDocument = (document: Record<string, unknown>): string =>
  createHash('sha256')
    .update(JSON.stringify(sortKeys(document)))
    .digest('hex')
    .slice(0, 32)

const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).sort(([name], [next]) => (name < next ? -1 : 1))
  // Without a prototype, `__proto__` is an ordinary name.
  return Object.assign(
    Object.create(null),
    Object.fromEntries(entries.map(([name, item]) => [name, sortKeys(item)])),
  )
}
