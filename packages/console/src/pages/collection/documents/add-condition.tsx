import { NativeSelect, TextInput } from '@mantine/core'
import { describeWrongValue } from '@querent/contract/field-value'
import { useState } from 'react'
import type { DocumentFilter } from '#api/documents.ts'
import { t, translateFault } from '#i18n/translate.ts'
import { useCollection } from '#pages/collection/collection-context.ts'
import { booleanChoices } from '#ui/boolean-words.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { FormDialog } from '#ui/form-dialog.tsx'
import type { FilterField } from '#ui/row-filter.ts'
import { readAddressValue } from '#ui/typed-value.ts'
import { hasRange, rangeEnds } from './list-conditions.ts'
import { SuggestedValues } from './suggested-values.tsx'

interface AddConditionProps extends DialogState {
  fields: readonly FilterField[]
  onAdd: (conditions: DocumentFilter['where']) => void
}

type Part = 'value' | keyof typeof rangeEnds
type Texts = Partial<Record<Part, string>>

/** Asks for a field and a value, or for a range of numbers or dates, and suggests the values that documents have. */
export const AddCondition = ({ fields, onAdd, ...dialog }: AddConditionProps) => {
  const { summary } = useCollection()
  const [name, setName] = useState(fields[0]?.name ?? '')
  const [isExact, setExact] = useState(false)
  const [texts, setTexts] = useState<Texts>({})
  const [faults, setFaults] = useState<Texts>({})
  const type = fields.find(field => field.name === name)?.type ?? 'keyword'
  const field = summary.fields.find(one => one.name === name) ?? { name, type }
  const offersRange = hasRange(field, summary.fields)
  const parts: readonly Part[] = offersRange && !isExact ? ['from', 'to'] : ['value']
  const clear = () => {
    setTexts({})
    setFaults({})
  }
  const add = (conditions: DocumentFilter['where']) => {
    dialog.onClose()
    onAdd(conditions)
  }
  const submit = async () => {
    const filled = parts.filter(part => part === 'value' || (texts[part] ?? '').trim() !== '')
    if (filled.length === 0) return setFaults({ from: t('Type at least one end of the range') })
    const read = filled.map(part => ({ part, value: readAddressValue(texts[part] ?? '', type, field) }))
    const wrong = read.filter(({ value }) => value === undefined)
    if (wrong.length > 0)
      return setFaults(
        Object.fromEntries(
          wrong.map(({ part }) => [
            part,
            translateFault(describeWrongValue(`"${texts[part] ?? ''}"`, [type])),
          ]),
        ),
      )
    add(
      Object.fromEntries(
        read.map(({ part, value = '' }) => [part === 'value' ? name : name + rangeEnds[part], value]),
      ),
    )
  }
  const input = (part: Part) => ({
    value: texts[part] ?? '',
    fault: faults[part],
    onChange(text: string) {
      setTexts({ ...texts, [part]: text })
      setFaults({})
    },
  })
  return (
    <FormDialog {...dialog} title={t('Add filter')} submit={t('Add')} onSubmit={submit}>
      <NativeSelect
        label={t('Field')}
        data={fields.map(({ name: value, title }) => ({ value, label: title }))}
        value={name}
        onChange={event => {
          setName(event.currentTarget.value)
          clear()
        }}
      />
      {offersRange && (
        <NativeSelect
          label={t('Condition')}
          data={[
            { value: 'range', label: t('is in the range') },
            { value: 'value', label: t('is exactly') },
          ]}
          value={isExact ? 'value' : 'range'}
          onChange={event => {
            setExact(event.currentTarget.value === 'value')
            clear()
          }}
        />
      )}
      {parts.includes('from') ? (
        <>
          <EndInput label={t('From')} {...input('from')} />
          <EndInput label={t('To')} {...input('to')} />
        </>
      ) : type === 'boolean' ? (
        <BooleanInput {...input('value')} />
      ) : (
        <SuggestedValues field={name} {...input('value')} onChoose={value => add({ [name]: value })} />
      )}
    </FormDialog>
  )
}

interface InputProps {
  value: string
  fault: string | undefined
  onChange: (text: string) => void
}

const EndInput = ({ label, value, fault, onChange }: InputProps & { label: string }) => (
  <TextInput
    label={label}
    autoComplete="off"
    value={value}
    onChange={event => onChange(event.currentTarget.value)}
    error={fault}
  />
)

const BooleanInput = ({ value, fault, onChange }: InputProps) => (
  <NativeSelect
    label={t('Value')}
    data={[{ value: '', label: '' }, ...booleanChoices()]}
    value={value}
    onChange={event => onChange(event.currentTarget.value)}
    error={fault}
  />
)
