import { TextInput } from '@mantine/core'
import type { ApiDescription } from '@querent/contract/query'
import { useEffect, useRef } from 'react'
import { t } from '#i18n/translate.ts'

interface ParameterFieldsProps {
  parameters: ApiDescription['endpoints'][number]['parameters']
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
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (hasFocus) first.current?.focus()
  }, [hasFocus])
  return parameters.map(({ name, type }, index) => (
    <TextInput
      key={name}
      ref={index === 0 ? first : undefined}
      label={name === 'query' ? t('Search for') : name}
      placeholder={placeholders[type]}
      autoComplete="off"
      spellCheck={false}
      value={values[name] ?? ''}
      onChange={event => onChange(name, event.currentTarget.value)}
      onBlur={onLeave}
      flex={1}
      miw={160}
    />
  ))
}

/** Example values of types. */
const placeholders: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  number: '100',
  boolean: 'true',
  point: '52.37,4.89',
  circle: '52.37,4.89,10km',
  box: '52.3,4.8,52.4,5',
  polygon: '52.3,4.8,52.4,4.9,52.3,5',
}
