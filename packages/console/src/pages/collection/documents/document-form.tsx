/** An input for each field of a document, and for its other attributes with plain values. Attributes without an input stay as they are. */
import { Stack, Text, TextInput } from '@mantine/core'
import { ApiError } from '@querent/client'
import { type CheckedField, readingField } from '@querent/contract/count-misfits'
import { useState } from 'react'
import type { StoredDocument } from '#api/documents.ts'
import { t, translateFault } from '#i18n/translate.ts'
import { useCollection } from '#pages/collection/collection-context.ts'
import {
  type FieldSummary,
  findAttribute,
  isWritable,
  listPaths,
  readField,
  writeValue,
} from './document-path.ts'
import { FieldInput, findInputType, hasInput } from './field-input.tsx'
import { readFieldText } from './field-text.ts'

interface DocumentFormProps {
  document: StoredDocument
  onChange: (document: StoredDocument) => void
  isNew: boolean
  error: unknown
}

interface Input {
  name: string
  /** How the collection reads the values; undefined for an attribute without a field. */
  field: CheckedField | undefined
  type: string
  title?: string | undefined
  /** Where the value is, or the parts of a place are. */
  paths: readonly string[]
  read: () => unknown
  write: (value: unknown) => StoredDocument
}

export const DocumentForm = ({ document, onChange, isNew, error }: DocumentFormProps) => {
  const { idField, fields } = useCollection().summary
  const idType = fields.find(({ name }) => name === idField)?.type ?? 'keyword'
  // An attribute that loses its value keeps its input.
  const [undeclared] = useState(() => listUndeclared(document, [idField, ...fields.flatMap(listPaths)]))
  // A copy has the values of its source, which comes first.
  const originals = fields.filter(({ source }) => source === undefined)
  const sourced = fields.filter(({ source }) => source !== undefined)
  const ownPaths = new Set([idField])
  const inputs = [
    ...[...originals, ...sourced].map(field => makeInput(document, field, readingField(field))),
    ...undeclared.map(attribute => makeInput(document, attribute, undefined)),
  ].filter(({ type, paths, read }) => {
    if (paths.some(path => ownPaths.has(path) || !isWritable(document, path))) return false
    for (const path of paths) ownPaths.add(path)
    return hasInput(type, read())
  })
  const shownAttributes = new Set([idField, ...inputs.flatMap(({ paths }) => paths)])
  const otherNames = listHidden(document, shownAttributes)
  return (
    <Stack gap="md">
      <TextInput
        label={idField}
        description={isNew ? t('The id of the document. It cannot be changed later.') : undefined}
        readOnly={!isNew}
        required={isNew}
        value={String(document[idField] ?? '')}
        data-autofocus={isNew || undefined}
        onChange={event =>
          onChange(writeValue(document, idField, readFieldText(event.currentTarget.value, idType)))
        }
      />
      {inputs.map(({ name, type, field, title, read, write }, index) => (
        <FieldInput
          key={name}
          label={title ?? name}
          type={type}
          field={field}
          value={read()}
          hasFocus={!isNew && index === 0}
          fault={findFault(error, name)}
          onChange={value => onChange(write(value))}
        />
      ))}
      {otherNames.length > 0 && (
        <Text size="sm" c="dimmed">
          {t('Only in the tab JSON: {names}', { names: otherNames.join(', ') })}
        </Text>
      )}
    </Stack>
  )
}

/** Returns the attributes without a field that the form can write. */
const listUndeclared = (document: StoredDocument, declaredPaths: readonly string[]): FieldSummary[] => {
  const declared = new Set(declaredPaths.map(path => findAttribute(document, path)))
  return Object.entries(document).flatMap(([name, value]) => {
    const type = declared.has(name) ? undefined : findInputType(value)
    return type === undefined ? [] : [{ name, type }]
  })
}

const makeInput = (
  document: StoredDocument,
  field: FieldSummary,
  checked: CheckedField | undefined,
): Input => {
  const paths = listPaths(field)
  const { name, type, title, from } = field
  const input = { name, type, field: checked, title, paths, read: () => readField(document, field) }
  if (!from) {
    const [path = name] = paths
    return { ...input, write: value => writeValue(document, path, value) }
  }
  const { lat, lon } = from
  return {
    ...input,
    write: value => {
      const parts: { lat?: unknown; lon?: unknown } = typeof value === 'object' && value !== null ? value : {}
      return writeValue(writeValue(document, lat, parts.lat), lon, parts.lon)
    },
  }
}

/** Returns the values that have no input, as paths. Objects that are shown in part are named by what is left. */
const listHidden = (document: StoredDocument, shown: ReadonlySet<string>): string[] =>
  Object.entries(document).flatMap(([name, value]) => {
    if (shown.has(name)) return []
    const isShownInPart = [...shown].some(path => path.startsWith(`${name}.`))
    if (!isShownInPart || typeof value !== 'object' || value === null) return [name]
    return Object.keys(value)
      .map(key => `${name}.${key}`)
      .filter(path => ![...shown].some(each => each === path || each.startsWith(`${path}.`)))
  })

/** Returns what the server finds wrong with a field of the document. The sentence begins with the name of the field if it has no place. */
const findFault = (error: unknown, name: string): string | undefined => {
  if (!(error instanceof ApiError)) return undefined
  const place = error.errors.find(({ path, values }) => (path ?? values?.field) === name)
  if (place) return translateFault(place)
  const start = `${JSON.stringify(name)}: `
  return error.message.startsWith(start) ? error.message.slice(start.length) : undefined
}
