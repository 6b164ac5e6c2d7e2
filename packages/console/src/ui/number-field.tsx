import { TextInput, type TextInputProps } from '@mantine/core'
import { useLayoutEffect, useRef, useState } from 'react'
import { t } from '#i18n/translate.ts'
import { type AllowedNumbers, listReadings, readNumber } from './read-number.ts'

interface NumberFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'type'> {
  value: number | undefined
  allowed: AllowedNumbers
  /** Undefined for an empty field, NaN for text that is no allowed number. */
  onChange: (value: number | undefined) => void
}

/**
 * A field for a number. It keeps what is typed, and a form is not sent while that is no allowed number: the field then says which numbers are.
 * The inputs of browsers and of Mantine drop keys instead, so that 99999 becomes 999.
 */
export const NumberField = ({ value, allowed, onChange, error, ...look }: NumberFieldProps) => {
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(() => (value === undefined || Number.isNaN(value) ? '' : String(value)))
  const [isChecked, setChecked] = useState(false)
  const isMissing = text.trim() === ''
  const fault =
    isMissing && !look.required
      ? ''
      : Number.isNaN(readNumber(text, allowed))
        ? describeNumberFault(text, allowed)
        : ''
  useLayoutEffect(() => {
    input.current?.setCustomValidity(fault)
  }, [fault])
  return (
    <TextInput
      {...look}
      ref={input}
      inputMode={allowed.isWhole && allowed.min >= 0 ? 'numeric' : allowed.min < 0 ? 'text' : 'decimal'}
      autoComplete="off"
      value={text}
      error={(isChecked && fault) || error}
      onChange={event => {
        const typed = event.currentTarget.value
        setText(typed)
        onChange(typed.trim() === '' ? undefined : readNumber(typed, allowed))
      }}
      onBlur={() => setChecked(isChecked || !isMissing)}
      onInvalid={event => {
        // The sentence at the field, in the language of the console, takes the place of the browser's bubble.
        event.preventDefault()
        setChecked(true)
        if (findFirstInvalid(event.currentTarget.form) === event.currentTarget) event.currentTarget.focus()
      }}
    />
  )
}

/** Says which numbers are allowed, or how to write the one that can be read in two ways. */
const describeNumberFault = (text: string, allowed: AllowedNumbers): string => {
  const [one, other] = listReadings(text, allowed)
  if (one !== undefined && other !== undefined)
    return t('This can be read in two ways: type {one} or {other}', {
      one: String(one),
      other: String(other),
    })
  const { min, isAbove, max, isWhole } = allowed
  if (isWhole)
    return max === undefined
      ? t('Type a whole number from {min}', { min })
      : t('Type a whole number from {min} to {max}', { min, max })
  if (isAbove)
    return max === undefined
      ? t('Type a number above {min}', { min })
      : t('Type a number above {min}, up to {max}', { min, max })
  return max === undefined
    ? t('Type a number from {min}', { min })
    : t('Type a number from {min} to {max}', { min, max })
}

const findFirstInvalid = (form: HTMLFormElement | null): Element | undefined =>
  [...(form?.elements ?? [])].find(element => 'validity' in element && !readValidity(element).valid)

// Only controls with `validity` come here.
const readValidity = (control: Element) => (control as HTMLInputElement).validity
