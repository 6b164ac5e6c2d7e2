/** Finds mistakes in how fields and ids are read from documents (workspace-file.md, What a field takes, Ids). */
import { compileDateFormat } from './date-format.ts'
import { describeFault, describeNotAllowed } from './fault-texts.ts'
import { fault } from './name-faults.ts'
import { listNames } from './nearest-names.ts'
import { describeValue, type Fault } from './schema-faults.ts'
import type { Collection } from './workspace-file.ts'
import type { Path } from './workspace-source.ts'

/** `path` is that of the collection. */
export function* readingFaults({ id, fields = {} }: Collection, path: Path): Iterable<Fault> {
  if (id?.field !== undefined && id.generate !== undefined)
    yield fault(
      [...path, 'id', 'generate'],
      describeFault('several-groupings', { found: listNames(['field', 'generate']) }),
    )
  for (const [name, field] of Object.entries(fields)) {
    if (field.type === 'object')
      yield* readingFaults({ fields: field.fields ?? {} }, [...path, 'fields', name])
    if (field.type === 'geo' && field.from && field.source !== undefined)
      yield fault(
        [...path, 'fields', name, 'from'],
        describeFault('several-groupings', { found: listNames(['source', 'from']) }),
      )
    for (const [index, format] of (field.type === 'date' ? (field.formats ?? []) : []).entries())
      if (compileDateFormat(format) === undefined)
        yield fault(
          [...path, 'fields', name, 'formats', index],
          describeNotAllowed(describeValue(format), { code: 'date-format' }),
        )
  }
}
