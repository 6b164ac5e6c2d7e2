import { NativeSelect, TextInput } from '@mantine/core'
import type { Field } from '@querent/contract/workspace-file'
import { useState } from 'react'
import { t } from '#i18n/translate.ts'
import type { FindFault } from '#ui/file-edit-dialog.tsx'

/** A field while it is edited; the server checks it. */
export type FieldDraft = Partial<Field> & Record<string, unknown>

export interface InputsProps {
  draft: FieldDraft
  /** Sets a key; undefined removes it. */
  setKey: (key: string, value: unknown) => void
  fault: FindFault
}

/** How documents write the values of a field. */
export const ReadingInputs = (props: InputsProps) => {
  switch (props.draft.type) {
    case 'number':
      return <DecimalInput {...props} />
    case 'date':
      return <FormatsInput {...props} />
    case 'geo':
      return props.draft.from === undefined && <PairOrderInput {...props} />
    default:
      return null
  }
}

const DecimalInput = ({ draft, setKey, fault }: InputsProps) => (
  <NativeSelect
    label={t('Decimal sign')}
    description={t('How documents write its numbers.')}
    data={[
      { value: '', label: t('a point, and nothing between thousands: 1000.5') },
      { value: ',', label: t('a comma: 1.000,5') },
      { value: '.', label: t('a point: 1,000.5') },
    ]}
    value={String(draft.decimal ?? '')}
    error={fault('decimal')}
    onChange={event => setKey('decimal', event.currentTarget.value || undefined)}
  />
)

const FormatsInput = ({ draft, setKey, fault }: InputsProps) => {
  const [typed, setTyped] = useState<string>()
  const savedText = [draft.formats ?? []].flat().join('; ')
  return (
    <TextInput
      label={t('Formats')}
      description={t(
        'How documents write its dates, such as dd.MM.yyyy, separated by semicolons. 2024-01-31 is read in any case.',
      )}
      value={typed ?? savedText}
      error={fault('formats')}
      onBlur={() => setTyped(undefined)}
      onChange={event => {
        const text = event.currentTarget.value
        setTyped(text)
        const formats = text
          .split(';')
          .map(format => format.trim())
          .filter(Boolean)
        setKey('formats', formats.length > 0 ? formats : undefined)
      }}
    />
  )
}

const PairOrderInput = ({ draft, setKey, fault }: InputsProps) => (
  <NativeSelect
    label={t('Lists of two numbers')}
    description={t('The order of the numbers in a place such as [4.89, 52.37].')}
    data={[
      { value: 'lon-lat', label: t('longitude, latitude') },
      { value: 'lat-lon', label: t('latitude, longitude') },
    ]}
    value={String(draft.pairs ?? 'lon-lat')}
    error={fault('pairs')}
    onChange={event => setKey('pairs', event.currentTarget.value)}
  />
)
