import { TextInput, type TextInputProps } from '@mantine/core'
import { useState } from 'react'

interface NumberFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'type'> {
  value: number | undefined
  /** Undefined for an empty field, NaN for text that is no number. */
  onChange: (value: number | undefined) => void
}

/** A field for a number. Mantine's NumberInput needs a library of its own. */
export const NumberField = ({ value, onChange, ...look }: NumberFieldProps) => {
  const [text, setText] = useState(value === undefined ? '' : String(value))
  return (
    <TextInput
      {...look}
      inputMode="decimal"
      value={text}
      onChange={event => {
        const typed = event.currentTarget.value
        setText(typed)
        onChange(typed.trim() === '' ? undefined : Number(typed.replace(',', '.')))
      }}
    />
  )
}
