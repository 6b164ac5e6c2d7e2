/** Finds mistakes in endpoints of kind `together`: their parts are conditions on the elements of one list. */
import { isPart } from './combination-faults.ts'
import type { Endpoint } from './endpoints.ts'
import { describeFault } from './fault-texts.ts'
import { describeUnknown, entry, fault } from './name-faults.ts'
import { listNames } from './nearest-names.ts'
import type { Fault } from './schema-faults.ts'
import type { Collection } from './workspace-file.ts'
import type { Path } from './workspace-source.ts'

const suffix = ':FILTER'

/** `collections` are those that the endpoint may search. */
export function* togetherFaults(
  collections: readonly Collection[],
  endpoints: Record<string, Endpoint>,
  { field, of }: Endpoint & { kind: 'together' },
  path: Path,
): Iterable<Fault> {
  const lists = collections.flatMap(({ fields = {} }) =>
    Object.entries(fields).flatMap(([name, declared]) =>
      declared.type === 'object' && declared.together ? [{ name, fields: declared.fields ?? {} }] : [],
    ),
  )
  const list = lists.find(({ name }) => name === field)
  if (!list) {
    const names = lists.map(({ name }) => name)
    yield fault([...path, 'field'], describeUnknown('unknown-together-field', field, names))
    return
  }
  const paths = Object.keys(list.fields).map(inner => `${field}.${inner}`)
  const usable = Object.entries(endpoints).flatMap(([name, part]) => {
    const isUsable = isPart(part, paths)
    return isUsable ? [part.kind === 'facet' ? name + suffix : name] : []
  })
  for (const [index, name] of of.entries()) {
    if (usable.includes(name)) continue
    const kind = entry(endpoints, name.replace(suffix, ''))?.kind
    yield fault(
      [...path, 'of', index],
      kind === undefined
        ? describeUnknown('unknown-filter', name, usable)
        : describeFault('wrong-together-part', { found: name, field, names: listNames(usable) }),
    )
  }
}
