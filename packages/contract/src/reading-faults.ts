/** Finds mistakes in how fields and ids are read from documents (workspace-file.md, What a field takes, Ids). */
import { compileDateFormat } from './date-format.ts'
import { describeFault, describeNotAllowed } from './fault-texts.ts'
import { fault } from './name-faults.ts'
import { listNames } from './nearest-names.ts'
import { describeValue, type Fault } from './schema-faults.ts'
import type { Collection, Field } from './workspace-file.ts'
import type { Path } from './workspace-source.ts'

/** `path` is that of the collection. */
export function* readingFaults({ id, fields = {} }: Collection, path: Path): Iterable<Fault> {
  if (id?.field !== undefined && id.generate !== undefined)
    yield fault(
      [...path, 'id', 'generate'],
      describeFault('several-groupings', { found: listNames(['field', 'generate']) }),
    )
  for (const [name, field] of Object.entries(fields)) yield* fieldFaults(field, [...path, 'fields', name])
}

/** `path` is that of the field. */
function* fieldFaults(field: Field, path: Path): Iterable<Fault> {
  if (field.type === 'object') yield* readingFaults({ fields: field.fields ?? {} }, path)
  if (field.type === 'geo' && field.from && field.source !== undefined)
    yield fault(
      [...path, 'from'],
      describeFault('several-groupings', { found: listNames(['source', 'from']) }),
    )
  if (field.type === 'geo' && field.from && field.pairs !== undefined)
    yield fault(
      [...path, 'pairs'],
      describeFault('several-groupings', { found: listNames(['from', 'pairs']) }),
    )
  if (field.type === 'number' && field.listSeparator !== undefined && isPartOfNumber(field))
    yield fault(
      [...path, 'listSeparator'],
      describeNotAllowed(describeValue(field.listSeparator), { code: 'separator' }),
    )
  for (const [index, format] of (field.type === 'date' ? (field.formats ?? []) : []).entries())
    if (compileDateFormat(format) === undefined)
      yield fault(
        [...path, 'formats', index],
        describeNotAllowed(describeValue(format), { code: 'date-format' }),
      )
}

/** Whether a separator would divide numbers: a decimal comma cannot also stand between two of them. */
const isPartOfNumber = ({ listSeparator = '', decimal }: Field & { type: 'number' }): boolean =>
  /^[\d.+-]$/.test(listSeparator) || listSeparator === decimal
