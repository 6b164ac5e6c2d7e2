/** An input for each field of a document, and for its other attributes with plain values. Attributes without an input stay as they are. */
import { Stack, Text, TextInput } from '@mantine/core'
import { ApiError } from '@querent/client'
import { useState } from 'react'
import type { StoredDocument } from '#api/documents.ts'
import { t, translateFault } from '#i18n/translate.ts'
import { useCollection } from '#pages/collection/collection-context.ts'
import { FieldInput, findInputType, hasInput } from './field-input.tsx'
import { readFieldText } from './field-text.ts'

interface DocumentFormProps {
  document: StoredDocument
  onChange: (document: StoredDocument) => void
  isNew: boolean
  error: unknown
}

export const DocumentForm = ({ document, onChange, isNew, error }: DocumentFormProps) => {
  const { idField, fields } = useCollection().summary
  const change = (name: string, value: unknown) => {
    if (value !== undefined) return onChange({ ...document, [name]: value })
    const { [name]: _, ...others } = document
    onChange(others)
  }
  const idType = fields.find(({ name }) => name === idField)?.type ?? 'keyword'
  const declaredNames = [idField, ...fields.map(({ name }) => name)]
  // An attribute that loses its value keeps its input.
  const [undeclared] = useState(() =>
    Object.entries(document).flatMap(([name, value]) => {
      const type = declaredNames.includes(name) ? undefined : findInputType(value)
      return type === undefined ? [] : [{ name, type, title: undefined }]
    }),
  )
  const inputs = [
    // A copy has the values of its source.
    ...fields.filter(
      ({ name, type, source }) =>
        name !== idField &&
        hasInput(type, document[name]) &&
        (source === undefined || Object.hasOwn(document, name)),
    ),
    ...undeclared.filter(({ name, type }) => hasInput(type, document[name])),
  ]
  const names = [idField, ...inputs.map(({ name }) => name)]
  const otherNames = Object.keys(document).filter(name => !names.includes(name))
  return (
    <Stack gap="md">
      <TextInput
        label={idField}
        description={isNew ? t('The id of the document. It cannot be changed later.') : undefined}
        readOnly={!isNew}
        required={isNew}
        value={String(document[idField] ?? '')}
        data-autofocus={isNew || undefined}
        onChange={event => change(idField, readFieldText(event.currentTarget.value, idType))}
      />
      {inputs.map(({ name, type, title }, index) => (
        <FieldInput
          key={name}
          label={title ?? name}
          type={type}
          value={document[name]}
          hasFocus={!isNew && index === 0}
          fault={findFault(error, name)}
          onChange={value => change(name, value)}
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

/** Returns what the server finds wrong with a field of the document. */
const findFault = (error: unknown, name: string): string | undefined =>
  error instanceof ApiError
    ? error.errors.filter(({ path, values }) => (path ?? values?.field) === name).map(translateFault)[0]
    : undefined
