import { NativeSelect, TextInput } from '@mantine/core'
import type { ValueForm } from '@querent/contract/value-form'
import type { FieldType } from '@querent/contract/workspace-file'
import { useState } from 'react'
import { t } from '#i18n/translate.ts'
import { booleanChoices } from '#ui/boolean-words.ts'
import { readTypedValue, writeTypedValue } from '#ui/typed-value.ts'
import type { InputsProps } from './draft-inputs.tsx'

interface ValueInputProps extends InputsProps {
  /** Type of the field; undefined if there is none. */
  type: FieldType | undefined
  /** How documents write the values of the field. */
  form: ValueForm
  label?: string
  description?: string
}

/** A value of a field. Empty: the query gives it. */
export const ValueInput = ({ draft, setKey, fault, type, form, label, description }: ValueInputProps) => {
  const [text, setText] = useState(
    draft.value === undefined ? '' : writeTypedValue(String(draft.value), type, form),
  )
  const look = {
    label: label ?? t('Fixed value'),
    description: description ?? t('Empty: the query gives the value.'),
    error: fault('value'),
  }
  const change = (typed: string) => {
    setText(typed)
    setKey('value', typed === '' ? undefined : readValue(typed, type, form))
  }
  if (type === 'boolean')
    return (
      <NativeSelect
        {...look}
        data={[{ value: '', label: '' }, ...booleanChoices()]}
        value={text}
        onChange={event => change(event.currentTarget.value)}
      />
    )
  return (
    <TextInput
      {...look}
      placeholder={type === 'geo' ? '52.37,4.89,25km' : ''}
      value={text}
      onChange={event => change(event.currentTarget.value)}
    />
  )
}

/** Returns the value as the file writes it. Text that is no value of the field stays text, so that the server can say so. */
export const readValue = (
  text: string,
  type: FieldType | undefined,
  form: ValueForm,
): string | number | boolean => {
  if (type === 'boolean') return text === 'true'
  if (type !== 'number' && (type !== 'date' || shortenedDate.test(text))) return text
  return readTypedValue(text, type, form) ?? text
}

/** A year or a month, which ends a range of a facet. */
const shortenedDate = /^\s*\d{4}(?:-\d\d)?\s*$/
