/** Fields that only some members see (workspace-file.md, Hidden fields), and the readers of documents. Pure. */
import { describeFault } from './fault-texts.ts'
import { describeUnknown, entry, fault } from './name-faults.ts'
import { expandFields } from './object-fields.ts'
import { describeValue, type Fault } from './schema-faults.ts'
import type { Collection, Field, WorkspaceFile } from './workspace-file.ts'
import { workspaceLimits } from './workspace-limits.ts'
import type { Path } from './workspace-source.ts'

/** Names of the groups that see the field, sorted. Undefined: everybody sees it. Only administrators see the readers of documents. */
export const visibleGroups = (
  { readers, fields }: Pick<Collection, 'readers' | 'fields'>,
  name: string,
): readonly string[] | undefined => {
  const visible =
    entry(fields, name)?.visible ?? (readers?.field === name ? [] : outerObject(fields, name)?.visible)
  return visible && [...visible].sort()
}

/** The object that declares the field inside of it. */
const outerObject = (fields: Collection['fields'] = {}, name: string): Field | undefined =>
  Object.entries(fields).find(
    ([outer, field]) => field.type === 'object' && field.fields && isInside(name, outer),
  )?.[1]

/** The attributes or paths that a field is read from. */
export const readPaths = (name: string, field: Field): string[] => {
  if (field.type === 'geo' && field.from) return [field.from.lat, field.from.lon]
  if (field.type === 'vector') return [name, ...(field.embed?.fields ?? [])]
  return [field.type === 'object' ? name : (field.source ?? name)]
}

/** Whether the one path is the other, or inside of it. */
const isInside = (path: string, outer: string): boolean => path === outer || path.startsWith(`${outer}.`)

/** Yields the faults of `readers` and `visible`. `groups`: those of the workspace, undefined if the file has none. `path` is that of the collection. */
export function* hiddenFieldFaults(
  collection: Collection,
  groups: WorkspaceFile['groups'],
  path: Path,
): Iterable<Fault> {
  const { readers, fields = {} } = collection
  if (readers) yield* readersFaults(readers, fields, [...path, 'readers'])
  const hidden = Object.keys(fields).filter(name => visibleGroups(collection, name) !== undefined)
  const namedFields = hidden.filter(name => fields[name]?.visible)
  const max = workspaceLimits.hiddenFieldsPerCollection
  if (namedFields.length > max)
    yield fault(
      [...path, 'fields'],
      describeFault('too-many-hidden', { count: namedFields.length, max }),
      'key',
    )
  for (const name of namedFields)
    for (const [index, group] of (fields[name]?.visible ?? []).entries())
      if (groups && !Object.hasOwn(groups, group))
        yield fault(
          [...path, 'fields', name, 'visible', index],
          describeUnknown('unknown-group', group, Object.keys(groups)),
        )
  for (const [name, field] of Object.entries(fields))
    for (const [inner, { visible }] of Object.entries((field.type === 'object' && field.fields) || {}))
      if (visible)
        yield fault(
          [...path, 'fields', name, 'fields', inner, 'visible'],
          describeFault('visible-inside', { name }),
          'key',
        )
  for (const source of hidden) yield* madeFromFaults(collection, source, path)
}

function* readersFaults(
  { field, everyone }: NonNullable<Collection['readers']>,
  fields: Readonly<Record<string, Field>>,
  path: Path,
): Iterable<Fault> {
  const declared = Object.hasOwn(fields, field) ? fields[field] : undefined
  if (!declared) yield fault([...path, 'field'], describeUnknown('unknown-field', field, Object.keys(fields)))
  else if (declared.type !== 'keyword' || declared.source !== undefined)
    yield fault([...path, 'field'], describeFault('readers-field', { found: field, type: declared.type }))
  if (everyone?.includes('@'))
    yield fault([...path, 'everyone'], describeFault('everyone-address', { found: describeValue(everyone) }))
}

/** Fields that are made from the hidden field must be hidden from the same people, and never decides the address of a document. */
function* madeFromFaults(collection: Collection, source: string, path: Path): Iterable<Fault> {
  const { id, class: classes, fields = {} } = collection
  const groups = visibleGroups(collection, source) ?? []
  const declared = fields[source]
  const roots = declared
    ? [source, ...readPaths(source, declared).filter(() => declared.type !== 'vector')]
    : [source]
  const isMade = (paths: readonly string[]) => paths.some(made => roots.some(root => isInside(made, root)))
  for (const [name, field] of Object.entries(expandFields(fields))) {
    if (name === source || !isMade(readPaths(name, field))) continue
    const ownGroups = visibleGroups(collection, name)
    if (ownGroups && ownGroups.join() === groups.join()) continue
    yield fault(
      [...path, 'fields', name],
      describeFault('made-from-hidden', { field: source, groups: `[${groups.join(', ')}]` }),
      'key',
    )
  }
  const idField = id?.generate ? undefined : (id?.field ?? 'id')
  // A hash is made from the whole document: a person who knows the rest of it could try values until the hash is right.
  const madeIds = id?.generate === 'hash' || (idField !== undefined && isMade([idField]))
  if (madeIds)
    yield fault(
      [...path, 'fields', source],
      describeFault('named-by-hidden', { field: source, key: id?.generate ? 'id.generate' : 'id' }),
      'key',
    )
  if (classes && !Array.isArray(classes) && isMade([classes.field]))
    yield fault(
      [...path, 'class', 'field'],
      describeFault('named-by-hidden', { field: source, key: 'class' }),
    )
}

/** Returns the groups that fields name in `visible`, with the first such field. */
export const groupsOfFields = (collections: WorkspaceFile['collections'] = {}): Map<string, string> =>
  new Map(
    Object.entries(collections).flatMap(([name, { fields = {} }]) =>
      Object.entries(fields).flatMap(([field, { visible = [] }]) =>
        visible.map(group => [group, `${name}.${field}`] as const),
      ),
    ),
  )
