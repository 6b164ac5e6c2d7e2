/** The values of one field of a document: an input for each. */
import { Button, CloseButton, Group, Input, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core'
import { type CheckedField, takesValue } from '@querent/contract/count-misfits'
import { useState } from 'react'
import { t } from '#i18n/translate.ts'
import { booleanChoices } from '#ui/boolean-words.ts'
import { writeDateExample } from '#ui/date-example.ts'
import { readTypedValue } from '#ui/typed-value.ts'
import { writeDecimal } from '#ui/write-decimal.ts'
import { isNoNumber, isWrittenNumber, readFieldText } from './field-text.ts'

/** Whether a form can edit this value; others are edited as JSON. */
export const hasInput = (type: string, value: unknown): boolean => {
  const values = toList(value)
  if (type === 'geo')
    return values.length <= 1 && values.every(each => typeof each === 'string' || isPlace(each))
  return inputTypes.includes(type) && values.every(each => typeof each !== 'object')
}

/** Returns the type of the input for an attribute without a field; undefined if only JSON can write it. */
export const findInputType = (value: unknown): 'text' | 'keyword' | 'number' | 'boolean' | undefined => {
  const values = toList(value)
  if (values.length === 0) return undefined
  if (values.every(each => typeof each === 'string'))
    return values.some(text => /\s/.test(text)) ? 'text' : 'keyword'
  if (values.every(each => typeof each === 'number')) return 'number'
  return values.length === 1 && typeof value === 'boolean' ? 'boolean' : undefined
}

const inputTypes: readonly string[] = ['text', 'keyword', 'number', 'date', 'boolean']

const toList = (value: unknown): unknown[] => {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}

interface FieldInputProps {
  label: string
  type: string
  /** How the collection reads the values; undefined for an attribute without a field. */
  field: CheckedField | undefined
  value: unknown
  hasFocus: boolean
  /** Message of the server about the values. */
  fault?: string | undefined
  /** Receives one value, or a list of several; undefined for none. */
  onChange: (value: unknown) => void
}

export const FieldInput = (props: FieldInputProps) =>
  props.type === 'geo' && typeof props.value !== 'string' ? (
    <PlaceInput {...props} />
  ) : (
    <ValueInputs {...props} />
  )

interface Row {
  key: number
  text: string
}

const ValueInputs = ({ label, type, field, value, hasFocus, fault, onChange }: FieldInputProps) => {
  const form = field?.type === 'number' ? field : {}
  const [wereNumbers] = useState(() => toList(value).some(one => typeof one === 'number'))
  const read = (text: string): unknown => {
    const value = readFieldText(text, textType, form)
    // Numbers of a document stay numbers, whatever sign a person types.
    return wereNumbers && typeof value === 'string' ? (readTypedValue(value, 'number', form) ?? value) : value
  }
  const [rows, setRows] = useState<readonly Row[]>(() => {
    const texts = toList(value).map(one =>
      typeof one === 'number' ? writeDecimal(String(one), form) : String(one),
    )
    return (texts.length === 0 ? [''] : texts).map((text, key) => ({ key, text }))
  })
  const [nextKey, setNextKey] = useState(rows.length)
  const wasList = Array.isArray(value)
  const [initialTexts] = useState(() => rows.map(({ text }) => text))
  const [textType] = useState(() => (toList(value).some(isWrittenNumber) ? 'keyword' : type))
  /** Values that nobody touched are not judged. */
  const findOwnFault = (text: string) =>
    initialTexts.includes(text) ? undefined : findTextFault(type, field, read(text))
  const change = (next: readonly Row[]) => {
    setRows(next)
    const values = next.flatMap(({ text }) => (text === '' ? [] : [read(text)]))
    onChange(values.length > 1 || (wasList && values.length > 0) ? values : values[0])
  }
  const add = () => {
    setRows([...rows, { key: nextKey, text: '' }])
    setNextKey(nextKey + 1)
  }
  return (
    <Stack gap={6} role="group" aria-label={label}>
      {rows.map((row, index) => (
        <Group key={row.key} gap="xs" wrap="nowrap" align="flex-end">
          <OneValue
            label={index === 0 ? label : undefined}
            name={index === 0 ? label : t('{label}, value {number}', { label, number: index + 1 })}
            type={type}
            field={field}
            text={row.text}
            hasFocus={hasFocus && index === 0}
            fault={findOwnFault(row.text) ?? (index === 0 ? fault : undefined)}
            onChange={text => change(rows.map(each => (each === row ? { ...row, text } : each)))}
          />
          {rows.length > 1 && (
            <CloseButton
              size="lg"
              aria-label={t('Delete value {number} of {label}', { number: index + 1, label })}
              onClick={() => change(rows.filter(each => each !== row))}
            />
          )}
        </Group>
      ))}
      {type !== 'boolean' && rows.at(-1)?.text !== '' && (
        <Button
          variant="subtle"
          size="compact-xs"
          style={{ alignSelf: 'start' }}
          aria-label={t('Add a value to {label}', { label })}
          onClick={add}
        >
          {t('Add a value')}
        </Button>
      )}
    </Stack>
  )
}

interface OneValueProps {
  /** Above the input; the others are named for screen readers only. */
  label: string | undefined
  name: string
  type: string
  field: CheckedField | undefined
  text: string
  hasFocus: boolean
  fault: string | undefined
  onChange: (text: string) => void
}

const readDateExample = (field: CheckedField | undefined): string =>
  writeDateExample(field?.type === 'date' ? field.formats : [])

/** An import decides what a field takes. Attributes without a field take anything, but a word among numbers is a slip. */
const findTextFault = (type: string, field: CheckedField | undefined, value: unknown): string | undefined => {
  const isTaken = field ? takesValue(value, field) : type !== 'number' || !isNoNumber(String(value))
  if (isTaken) return undefined
  switch (type) {
    case 'number':
      return t('Write a number, such as 12.5.')
    case 'date':
      return t('Write a date, such as {example}.', { example: readDateExample(field) })
    case 'geo':
      return t('Write a latitude and a longitude, such as 52.37,4.89.')
    default:
      return undefined
  }
}

const OneValue = ({ label, name, type, field, text, hasFocus, fault, onChange }: OneValueProps) => {
  const look = {
    label,
    'aria-label': label === undefined ? name : undefined,
    value: text,
    flex: 1,
    'data-autofocus': hasFocus || undefined,
    error: fault,
  }
  if (type === 'boolean')
    return (
      <NativeSelect
        {...look}
        data={[{ value: '', label: t('no value') }, ...booleanChoices()]}
        onChange={event => onChange(event.currentTarget.value)}
      />
    )
  if (type === 'text')
    return (
      <Textarea
        {...look}
        autosize
        minRows={1}
        maxRows={12}
        onChange={event => onChange(event.currentTarget.value)}
      />
    )
  return (
    <TextInput
      {...look}
      inputMode={type === 'number' ? 'decimal' : undefined}
      placeholder={type === 'date' ? readDateExample(field) : undefined}
      onChange={event => onChange(event.currentTarget.value)}
    />
  )
}

const isPlace = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(value).every(key => key === 'lat' || key === 'lon')

const PlaceInput = ({ label, value, fault, onChange }: FieldInputProps) => {
  const [place] = toList(value)
  const [texts, setTexts] = useState<{ lat: string; lon: string }>(() => ({
    lat: '',
    lon: '',
    ...writePlace(place),
  }))
  const change = (key: 'lat' | 'lon', text: string) => {
    const next = { ...texts, [key]: text }
    setTexts(next)
    const entries = Object.entries(next).filter(([, typed]) => typed !== '')
    onChange(
      entries.length === 0
        ? undefined
        : Object.fromEntries(entries.map(([name, typed]) => [name, readFieldText(typed, 'number')])),
    )
  }
  return (
    <Input.Wrapper label={label} labelElement="div">
      <Group grow role="group" aria-label={label}>
        <TextInput
          label={t('Latitude')}
          error={isNoNumber(texts.lat) ? t('Write a number, such as 12.5.') : fault}
          inputMode="decimal"
          value={texts.lat}
          onChange={event => change('lat', event.currentTarget.value)}
        />
        <TextInput
          label={t('Longitude')}
          error={isNoNumber(texts.lon) ? t('Write a number, such as 12.5.') : undefined}
          inputMode="decimal"
          value={texts.lon}
          onChange={event => change('lon', event.currentTarget.value)}
        />
      </Group>
    </Input.Wrapper>
  )
}

const writePlace = (place: unknown): Record<string, string> =>
  typeof place === 'object' && place !== null
    ? Object.fromEntries(Object.entries(place).map(([key, number]) => [key, String(number)]))
    : {}
