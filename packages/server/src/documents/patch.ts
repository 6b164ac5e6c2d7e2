/** Changes of stored documents: reads them, and merges them into the documents (RFC 7396). */
import { toNumber } from '@querent/contract/exact-json'
import type { Collection } from '@querent/contract/workspace-file'
import { removePaths } from '#collections/remove-paths'
import { parseEntity } from '#collections/stored-entity'
import { ownAttributes } from '#embedding/entity-vectors'
import type { EngineDocument } from '#engines/engine'
import { generateId, isJsonObject, readStatedId } from './document-id.ts'
import { hasTooManyParts, isShallow, tooDeep, tooManyParts } from './document-size.ts'
import { type DocumentReader, describeValue, type RejectedDocument } from './entity.ts'
import { keepHiddenValues } from './hidden-values.ts'
import { lineBytesMax } from './lines.ts'

/** A change of one document. */
export interface Patch {
  /** URI of the document. */
  uri: string
  /** The id as it was stated. */
  id: string
  /** The members to merge. Those of a collection that states its ids do not include the id. */
  members: Readonly<Record<string, unknown>>
  /** The members are the whole document, as the caller sees it. */
  isWhole?: true
}

/** The rules by which patches are read and merged. */
export interface PatchRules {
  collection: Collection
  reader: DocumentReader
  /** Without this permission, errors tell nothing about the stored document. */
  mayRead: boolean
  /** Their values stay as they are. */
  hiddenPaths?: readonly string[] | undefined
}

/** Reads a patch from a document of a stream, which names its document in the field of the id. Never throws. */
export const readPatch = (
  { collection, reader }: Pick<PatchRules, 'collection' | 'reader'>,
  parsed: unknown,
): Patch | { message: string } => {
  if (!isJsonObject(parsed)) return { message: `found ${describeValue(parsed)}; a document is a JSON object` }
  const idField = collection.id?.field ?? 'id'
  const stated = Object.hasOwn(parsed, idField) ? toNumber(parsed[idField]) : undefined
  const id = readStatedId({ [idField]: stated }, idField, describeValue)
  if (typeof id !== 'string') return id
  const uri = reader.toUri(id)
  if (uri === undefined)
    return { message: `"${idField}": found ${describeValue(id)}, which contains a lone surrogate` }
  const { [idField]: _, ...members } = parsed
  return isShallow(members) ? { uri, id, members } : { message: tooDeep }
}

/**
 * Reads a whole document of a caller from whom fields are hidden as a change of the stored one. `addressedId`: the id of the address. Never
 * throws.
 */
export const readWholePatch = (
  { collection, reader, hiddenPaths = [] }: Omit<PatchRules, 'mayRead'>,
  parsed: unknown,
  addressedId?: string,
): Patch | { message: string } => {
  const { generate } = collection.id ?? {}
  if (generate === undefined || !isJsonObject(parsed)) {
    const patch = readPatch({ collection, reader }, parsed)
    return 'message' in patch ? patch : { ...patch, isWhole: true }
  }
  const place = addressedId === undefined ? {} : { id: addressedId }
  const { id, document: members } = generateId(generate, removePaths(parsed, hiddenPaths), place)
  if (typeof id !== 'string') return id
  const uri = reader.toUri(id)
  if (uri === undefined) return { message: `${describeValue(id)} contains a lone surrogate` }
  return isShallow(members) ? { uri, id, members, isWhole: true } : { message: tooDeep }
}

/** Leaves out the members of a patch that the caller does not see. */
const keepHidden = ({ hiddenPaths = [] }: PatchRules, patch: Patch): Patch | { message: string } => {
  if (hiddenPaths.length === 0) return patch
  const replaced = hiddenPaths.map(path => findReplaced(patch.members, path)).find(name => name !== undefined)
  return replaced === undefined
    ? { ...patch, members: removePaths(patch.members, hiddenPaths) }
    : { message: `"${replaced}": you may change its members, but not replace it as a whole` }
}

/** Returns the name of an object above the path that the patch would replace. */
const findReplaced = (members: unknown, path: string): string | undefined => {
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot)
    const inner = isJsonObject(members) && Object.hasOwn(members, name) ? members[name] : undefined
    if (inner === undefined) continue
    if (!isJsonObject(inner)) return name
    const deeper = findReplaced(inner, path.slice(dot + 1))
    if (deeper !== undefined) return deeper
  }
  return undefined
}

const tooLong = `with this change, the document is longer than ${lineBytesMax} bytes`
const misfit =
  'with this change, the stored document does not fit the fields of the collection: write the whole document with PUT or an import'

/** Merges a patch into a stored document, or makes a new one if there is no `entity`. Never throws. */
export const applyPatch = (
  rules: PatchRules,
  sent: Patch,
  entity: string | undefined,
): EngineDocument | RejectedDocument => {
  if (sent.isWhole) return readWhole(rules, sent, entity)
  const patch = keepHidden(rules, sent)
  if ('message' in patch) return patch
  if (entity === undefined) return readMerged(rules, patch, {})
  const document = readMerged(rules, patch, ownAttributes(parseEntity(entity)))
  if (!('message' in document) || rules.mayRead) return document
  // The value that was found may be one of the stored document.
  const alone = readMerged(rules, patch, {})
  return 'message' in alone ? alone : { message: misfit }
}

/** Keeps the values that the caller does not see. */
const readWhole = (
  rules: PatchRules,
  patch: Patch,
  entity: string | undefined,
): EngineDocument | RejectedDocument => {
  const { hiddenPaths = [] } = rules
  const stored = entity === undefined ? {} : ownAttributes(parseEntity(entity))
  const merged = keepHiddenValues(patch.members, stored, hiddenPaths)
  return 'message' in merged ? merged : readAttributes(rules, patch, merged.attributes)
}

const readMerged = (
  rules: PatchRules,
  patch: Patch,
  stored: Readonly<Record<string, unknown>>,
): EngineDocument | RejectedDocument => readAttributes(rules, patch, mergePatch(stored, patch.members))

const readAttributes = (
  { collection, reader }: PatchRules,
  { id }: Patch,
  merged: Readonly<Record<string, unknown>>,
): EngineDocument | RejectedDocument => {
  const isGenerated = collection.id?.generate !== undefined
  const idField = collection.id?.field ?? 'id'
  const document = isGenerated ? merged : { [idField]: reader.toIdValue(id), ...merged }
  const json = JSON.stringify(document)
  if (hasTooManyParts(json)) return { message: tooManyParts }
  if (Buffer.byteLength(json) > lineBytesMax) return { message: tooLong }
  return reader.read(document, { id })
}

type Members = Readonly<Record<string, unknown>>

/** JSON Merge Patch (RFC 7396, section 2): merges the members of a patch into those of a document: `null` removes a member, objects merge, everything else replaces. Changes neither. */
const mergePatch = (target: Members, patch: Members): Record<string, unknown> => {
  // A Map keeps the order of the target, and `__proto__` is an ordinary name in it.
  const merged = new Map(Object.entries(target))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else if (isJsonObject(value)) {
      const previous = merged.get(name)
      merged.set(name, mergePatch(isJsonObject(previous) ? previous : {}, value))
    } else merged.set(name, value)
  }
  return Object.fromEntries(merged)
}
