/** Finds mistakes in `embed`: vectors are made from text fields of the same collection. */
import { describeUnknown } from './name-faults.ts'
import { expandFields } from './object-fields.ts'
import type { Fault } from './schema-faults.ts'
import type { Collection } from './workspace-file.ts'
import type { Path } from './workspace-source.ts'

/** `path` is that of the collection's fields. */
export function* embedFaults({ fields = {} }: Collection, path: Path): Iterable<Fault> {
  const textFields = Object.entries(expandFields(fields)).flatMap(([name, { type }]) =>
    type === 'text' ? [name] : [],
  )
  for (const [name, field] of Object.entries(fields))
    if (field.type === 'vector' && field.embed)
      for (const [index, source] of field.embed.fields.entries())
        if (!textFields.includes(source))
          yield {
            path: [...path, name, 'embed', 'fields', index],
            ...describeUnknown('unknown-text-field', source, textFields),
            target: 'value',
          }
}
