/** Finds mistakes in the ids and vectors of a collection. */
import { describeNotAllowed } from './fault-texts.ts'
import { describeUnknown, entry, fault } from './name-faults.ts'
import { expandFields } from './object-fields.ts'
import { describeValue, type Fault } from './schema-faults.ts'
import type { Collection, FieldType } from './workspace-file.ts'
import type { Path } from './workspace-source.ts'

/** Types that the id field may have. */
const idTypes: readonly FieldType[] = ['text', 'keyword', 'number', 'date']

export function* idFaults(collection: Collection, path: Path): Iterable<Fault> {
  const template = collection.id?.uri
  if (template !== undefined && !isIdTemplate(template))
    yield fault([...path, 'id', 'uri'], describeNotAllowed(describeValue(template), { code: 'id-template' }))
  const idField = collection.id?.field ?? 'id'
  const type = collection.id?.generate ? undefined : entry(collection.fields, idField)?.type
  if (type !== undefined && !idTypes.includes(type))
    yield fault(
      [...path, 'fields', idField, 'type'],
      describeNotAllowed(
        describeValue(type),
        { code: 'choice', values: { choices: idTypes.join(', ') } },
        { hint: 'id-field' },
      ),
    )
}

const isIdTemplate = (template: string): boolean =>
  template.split('{id}').length === 2 &&
  /^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`]*$/.test(template.replace('{id}', 'x')) &&
  URL.canParse(template.replace('{id}', 'x'))

/** Vectors are made from text fields of the same collection. `path` is that of the collection's fields. */
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
