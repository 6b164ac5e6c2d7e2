import { Autocomplete, NativeSelect } from '@mantine/core'
import { describeWrongValue } from '@querent/contract/field-value'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listValues } from '#api/documents.ts'
import { t, tCount, translateFault } from '#i18n/translate.ts'
import { useCollection } from '#pages/collection/collection-context.ts'
import { booleanChoices } from '#ui/boolean-words.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { FormDialog } from '#ui/form-dialog.tsx'
import type { FilterField } from '#ui/row-filter.ts'
import { readCondition } from './read-condition.ts'

interface AddConditionProps extends DialogState {
  fields: readonly FilterField[]
  onAdd: (field: string, value: string) => void
}

/** Asks for a field and a value, and suggests the values that documents have. */
export const AddCondition = ({ fields, onAdd, ...dialog }: AddConditionProps) => {
  const { workspace, summary } = useCollection()
  const { collection } = summary
  const [field, setField] = useState(fields[0]?.name ?? '')
  const [value, setValue] = useState('')
  const [fault, setFault] = useState<string>()
  const { data: values = [] } = useQuery({
    queryKey: ['documents', workspace, collection, 'values', field],
    queryFn: () => listValues(workspace, collection, field),
    enabled: field !== '',
  })
  const type = fields.find(({ name }) => name === field)?.type ?? 'keyword'
  const add = (chosen: string) => {
    dialog.onClose()
    onAdd(field, chosen)
  }
  const submit = async () => {
    const summaryField = summary.fields.find(({ name }) => name === field) ?? { name: field, type }
    const read = readCondition(value, type, summaryField)
    if (read === undefined) {
      setFault(translateFault(describeWrongValue(`"${value}"`, [type])))
      return
    }
    add(read)
  }
  return (
    <FormDialog {...dialog} title={t('Add filter')} submit={t('Add')} onSubmit={submit}>
      <NativeSelect
        label={t('Field')}
        data={fields.map(({ name, title }) => ({ value: name, label: title }))}
        value={field}
        onChange={event => {
          setField(event.currentTarget.value)
          setValue('')
          setFault(undefined)
        }}
      />
      {type === 'boolean' ? (
        <NativeSelect
          label={t('Value')}
          data={[{ value: '', label: '' }, ...booleanChoices()]}
          value={value}
          onChange={event => {
            setValue(event.currentTarget.value)
            setFault(undefined)
          }}
          error={fault}
        />
      ) : (
        <Autocomplete
          label={t('Value')}
          description={t('Suggestions are the most frequent values.')}
          data={values.map(option => option.value)}
          renderOption={({ option }) => (
            <>
              {option.value}
              {' · '}
              {tCount(
                values.find(item => item.value === option.value)?.documents ?? 0,
                '{count} document',
                '{count} documents',
              )}
            </>
          )}
          value={value}
          onOptionSubmit={add}
          onChange={next => {
            setValue(next)
            setFault(undefined)
          }}
          error={fault}
        />
      )}
    </FormDialog>
  )
}
