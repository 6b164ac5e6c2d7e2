import { NativeSelect, TextInput } from '@mantine/core'
import type { ApiDescription } from '@querent/contract/query'
import { useEffect, useRef } from 'react'
import { t } from '#i18n/translate.ts'
import { booleanChoices } from '#ui/boolean-words.ts'

type Parameter = ApiDescription['endpoints'][number]['parameters'][number]

interface ParameterFieldsProps {
  parameters: readonly Parameter[]
  values: Readonly<Record<string, string>>
  /** The first field takes the focus when it appears. */
  hasFocus: boolean
  onChange: (name: string, value: string) => void
  /** A person leaves a field. */
  onLeave: () => void
}

/** A field for each parameter of an endpoint. */
export const ParameterFields = ({
  parameters,
  values,
  hasFocus,
  onChange,
  onLeave,
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
    return choices ? (
      <NativeSelect
        key={name}
        {...shared}
        data={[{ value: '', label: required ? '' : t('as defined') }, ...choices]}
        onChange={event => onChange(name, event.currentTarget.value)}
      />
    ) : (
      <TextInput
        key={name}
        {...shared}
        placeholder={describeForm(type)}
        autoComplete="off"
        spellCheck={false}
        onChange={event => onChange(name, event.currentTarget.value)}
        onBlur={onLeave}
      />
    )
  })
}

const labelParameter = ({ name, type }: Parameter): string => {
  if (name === 'query') return t('Search for')
  if (type === 'circle') return t('Latitude, longitude and distance')
  return type === 'point' ? t('Latitude and longitude') : name
}

/** Whether a person chooses the value, which is complete then. */
export const isChosen = (parameter: Parameter): boolean => listChoices(parameter) !== undefined

/** The only values of a parameter, which a person chooses from. */
const listChoices = ({ type, among }: Parameter): { value: string; label: string }[] | undefined => {
  if (among) return among.map(value => ({ value, label: choiceLabels[value] ?? value }))
  return type === 'boolean' ? booleanChoices() : undefined
}

const choiceLabels: Readonly<Record<string, string>> = {
  ascending: t('ascending'),
  descending: t('descending'),
}

/** Values of types that are written in a form of their own. A number needs no example, which would look like one of the data. */
const examples: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  point: '52.37,4.89',
  circle: '52.37,4.89,10km',
  box: '52.3,4.8,52.4,5',
  polygon: '52.3,4.8,52.4,4.9,52.3,5',
}

const describeForm = (type: string): string | undefined => {
  const example = examples[type]
  return example && t('such as {example}', { example })
}
