import { Combobox, ScrollArea, TextInput, useCombobox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listValues, type ValueCount } from '#api/documents.ts'
import { t, tCount } from '#i18n/translate.ts'
import { useCollection } from '#pages/collection/collection-context.ts'
import { useConditionWriter } from './use-condition-writer.ts'

interface SuggestedValuesProps {
  field: string
  value: string
  fault: string | undefined
  onChange: (value: string) => void
  /** Takes a suggestion, as an address has it. */
  onChoose: (value: string) => void
}

/** A value to type or to choose. The suggestions are below the input, where they cover no button of the dialog. */
export const SuggestedValues = ({ field, value, fault, onChange, onChoose }: SuggestedValuesProps) => {
  const values = useShownValues(field)
  const typed = value.trim().toLocaleLowerCase()
  const matching = values.filter(
    item => item.value.toLocaleLowerCase().includes(typed) || item.text.toLocaleLowerCase().includes(typed),
  )
  const store = useCombobox({ onDropdownClose: () => store.resetSelectedOption() })
  return (
    <Combobox store={store} onOptionSubmit={onChoose}>
      <Combobox.EventsTarget withExpandedAttribute>
        <TextInput
          label={t('Value')}
          description={t('Suggestions are the most frequent values.')}
          value={value}
          onChange={event => {
            onChange(event.currentTarget.value)
            store.resetSelectedOption()
          }}
          error={fault}
        />
      </Combobox.EventsTarget>
      <ScrollArea.Autosize mah={220} type="auto">
        <Combobox.Options aria-label={t('Value')}>
          {matching.map(item => (
            <Combobox.Option key={item.value} value={item.value}>
              {item.text}
              {' · '}
              {tCount(item.documents, '{count} document', '{count} documents')}
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </ScrollArea.Autosize>
    </Combobox>
  )
}

/** The most frequent values of a field, with their texts in the table. */
const useShownValues = (name: string): (ValueCount & { text: string })[] => {
  const { workspace, summary } = useCollection()
  const { collection, fields } = summary
  const { data: values = [] } = useQuery({
    queryKey: ['documents', workspace, collection, 'values', name],
    queryFn: () => listValues(workspace, collection, name),
    enabled: name !== '',
  })
  const write = useConditionWriter()
  const field = fields.find(one => one.name === name)
  return values.map(item => ({ ...item, text: write(item.value, field) }))
}
