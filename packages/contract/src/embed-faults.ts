/** Finds mistakes in `embed`: vectors are made from text fields of the same collection. */
import { didYouMean, listNames } from './nearest-names.ts'
import type { Fault } from './schema-faults.ts'
import type { Collection } from './workspace-file.ts'
import type { Path } from './workspace-source.ts'

/** `path` is that of the collection's fields. */
export function* embedFaults({ fields = {} }: Collection, path: Path): Iterable<Fault> {
  const textFields = Object.keys(fields).filter(name => fields[name]?.type === 'text')
  for (const [name, field] of Object.entries(fields))
    if (field.type === 'vector' && field.embed)
      for (const [index, source] of field.embed.fields.entries())
        if (!textFields.includes(source))
          yield {
            path: [...path, name, 'embed', 'fields', index],
            message: `no text field "${source}"; there are: ${listNames(textFields)}${didYouMean(source, textFields)}`,
            target: 'value',
          }
}
