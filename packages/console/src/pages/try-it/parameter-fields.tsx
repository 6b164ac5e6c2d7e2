import { NativeSelect, TextInput, type TextInputProps } from '@mantine/core'
import { useMergedRef } from '@mantine/hooks'
import type { ApiDescription } from '@querent/contract/query'
import type { ValueForm } from '@querent/contract/value-form'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { t, translateFault } from '#i18n/translate.ts'
import { booleanChoices } from '#ui/boolean-words.ts'
import { writeDecimal } from '#ui/write-decimal.ts'

type Parameter = ApiDescription['endpoints'][number]['parameters'][number]

/** Half a date is no fault while a person types. */
const typingPauseMs = 700

interface ParameterFieldsProps {
  parameters: readonly Parameter[]
  /** How documents write the values of the endpoint's field. */
  form: ValueForm
  values: Readonly<Record<string, string>>
  /** The first field takes the focus when it appears. */
  hasFocus: boolean
  onChange: (name: string, value: string) => void
  /** A person leaves a field. */
  onLeave: () => void
  /** The number of fields with a value that cannot be read changes by `difference`. */
  onFaults: (difference: 1 | -1) => void
}

/** A field for each parameter of an endpoint. */
export const ParameterFields = ({
  parameters,
  form,
  values,
  hasFocus,
  onChange,
  onLeave,
  onFaults,
}: ParameterFieldsProps) => {
  const first = useRef<HTMLInputElement & HTMLSelectElement>(null)
  useEffect(() => {
    if (hasFocus) first.current?.focus()
  }, [hasFocus])
  return parameters.map((parameter, index) => {
    const { name, type, required } = parameter
    const shared = {
      ref: index === 0 ? first : undefined,
      label: labelParameter(parameter),
      value: values[name] ?? '',
      flex: 1,
      miw: 160,
    }
    const choices = listChoices(parameter)
    if (!choices && (type === 'number' || type === 'date'))
      return (
        <TypedInput
          key={name}
          {...shared}
          type={type}
          valueForm={form}
          onRead={value => onChange(name, value)}
          onLeave={onLeave}
          onFaults={onFaults}
        />
      )
    return choices ? (
      <NativeSelect
        key={name}
        {...shared}
        data={[{ value: '', label: required ? '' : t('as defined') }, ...choices]}
        onChange={event => onChange(name, event.currentTarget.value)}
      />
    ) : (
      <ParameterInput
        key={name}
        {...shared}
        type={type}
        example={examples[type]}
        {...(required &&
          type === 'point' &&
          shared.value === '' && { description: t('Not used until you type a place') })}
        onChange={event => onChange(name, event.currentTarget.value)}
        onLeave={onLeave}
        onFaults={onFaults}
      />
    )
  })
}

interface ParameterInputProps extends Omit<TextInputProps, 'type'> {
  type: string
  example: string | undefined
  /** Says why the text is no value. Empty: it is one, or the server says it. */
  fault?: string
  onLeave: () => void
  onFaults: ParameterFieldsProps['onFaults']
}

interface TypedInputProps extends Omit<ParameterInputProps, 'type' | 'example'> {
  type: 'number' | 'date'
  valueForm: ValueForm
  /** As the address has it. */
  value: string
  onRead: (value: string) => void
}

/** A number or a date in the form of its field. It keeps what is typed while that says the value. */
const TypedInput = ({ type, valueForm, value, onRead, ...look }: TypedInputProps) => {
  const { data: reader } = useQuery({
    queryKey: ['typed-parameter'],
    queryFn: () => import('./typed-parameter.ts'),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const [typed, setTyped] = useState({ text: '', isRead: true })
  const read = reader && ((text: string) => reader.readParameter(text, type, valueForm))
  const isLoaded = reader !== undefined
  const change = (text: string) => {
    setTyped({ text, isRead: isLoaded })
    if (read) onRead(read(text))
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only for a text that was there before its reader
  useEffect(() => {
    if (!typed.isRead) change(typed.text)
  }, [isLoaded])
  const isKept = !typed.isRead || read?.(typed.text) === value
  const shownText = isKept ? typed.text : writeDecimal(value, valueForm)
  const fault = reader?.describeParameterFault(shownText, type, valueForm)
  return (
    <ParameterInput
      {...look}
      type={type}
      example={reader?.writeExample(type, valueForm)}
      value={shownText}
      fault={fault ? translateFault(fault) : ''}
      onChange={event => change(event.currentTarget.value)}
    />
  )
}

/** Says at the field how a place, a number or a date is written, instead of sending a query that the server refuses. */
const ParameterInput = ({
  ref,
  type,
  example,
  fault = '',
  onLeave,
  onFaults,
  ...look
}: ParameterInputProps) => {
  const input = useRef<HTMLInputElement>(null)
  const inputs = useMergedRef(ref, input)
  useLayoutEffect(() => input.current?.setCustomValidity(fault), [fault])
  const [isWrong, setWrong] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text and its fault decide whether the field is valid
  useEffect(() => {
    if (input.current?.validity.valid !== false) return setWrong(false)
    const wait = setTimeout(() => setWrong(true), typingPauseMs)
    return () => clearTimeout(wait)
  }, [look.value, fault])
  useEffect(() => {
    if (!isWrong) return
    onFaults(1)
    return () => onFaults(-1)
  }, [isWrong, onFaults])
  const pattern = patterns[type]
  const hint =
    pattern &&
    t('Type {form}, without spaces, such as {example}', {
      form: placeForms[type] ?? '',
      example: example ?? '',
    })
  return (
    <TextInput
      {...look}
      ref={inputs}
      placeholder={example && t('such as {example}', { example })}
      autoComplete="off"
      spellCheck={false}
      {...(pattern === undefined ? {} : { pattern })}
      error={isWrong && (fault || hint)}
      // Above, so that the fields of a row stay at one height.
      inputWrapperOrder={['label', 'description', 'error', 'input']}
      onInput={({ currentTarget: { validity } }) => {
        if (validity.valid) setWrong(false)
      }}
      onInvalid={event => {
        // The sentence at the field takes the place of the browser's bubble.
        event.preventDefault()
        setWrong(true)
        event.currentTarget.focus()
      }}
      onBlur={({ currentTarget: { validity } }) => {
        setWrong(!validity.valid)
        if (validity.valid) onLeave()
      }}
    />
  )
}

const labelParameter = ({ name, type }: Parameter): string => {
  if (name === 'query') return t('Search for')
  if (type === 'circle') return t('Latitude, longitude and distance')
  return type === 'point' ? t('Latitude and longitude') : name
}

/** Whether a person chooses the value, which is complete then. */
export const isChosen = (parameter: Parameter): boolean => listChoices(parameter) !== undefined

/** The beginning of a date of RFC 3339; its time may follow. */
const wholeDay = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d.*)?$/

/** Whether results may follow the typing of a number, a date or a place: its text is complete, and no search for half of it is refused. */
export const isComplete = ({ type }: Parameter, text: string): boolean => {
  if (type === 'number') return !Number.isNaN(Number(text))
  if (type === 'date') return text === '' || (wholeDay.test(text) && !Number.isNaN(Date.parse(text)))
  const pattern = patterns[type]
  return pattern !== undefined && (text === '' || new RegExp(`^(?:${pattern})$`).test(text))
}

/** The only values of a parameter, which a person chooses from. */
const listChoices = ({ type, among }: Parameter): { value: string; label: string }[] | undefined => {
  if (among) return among.map(value => ({ value, label: choiceLabels[value] ?? value }))
  return type === 'boolean' ? booleanChoices() : undefined
}

const choiceLabels: Readonly<Record<string, string>> = {
  ascending: t('ascending'),
  descending: t('descending'),
}

/** Values of types that are written in a form of their own. */
const examples: Readonly<Record<string, string>> = {
  point: '52.37,4.89',
  circle: '52.37,4.89,10km',
  box: '52.3,4.8,52.4,5',
  polygon: '52.3,4.8,52.4,4.9,52.3,5',
}

const degrees = '[+\\-]?\\d+(\\.\\d+)?'
/** Forms of places for the attribute `pattern` of an input. The server checks the ranges. */
const patterns: Readonly<Record<string, string>> = {
  point: `${degrees},${degrees}`,
  circle: `${degrees},${degrees},\\d+(\\.\\d+)?(m|km|mi)?`,
}

const placeForms: Readonly<Record<string, string>> = {
  point: t('a latitude and a longitude'),
  circle: t('a latitude, a longitude and a distance'),
}
