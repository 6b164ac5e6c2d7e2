import { NativeSelect } from '@mantine/core'
import type { FieldType } from '@querent/contract/workspace-file'
import { t } from '#i18n/translate.ts'
import { FieldsInput, type InputsProps } from './draft-inputs.tsx'

interface SimilarInputsProps extends InputsProps {
  /** The text and vector fields of the collection. */
  fields: ReadonlyMap<string, FieldType>
}

/** Chooses by which values documents are compared: the words of text fields, or the vectors of one field. */
export const SimilarInputs = ({ fields, ...inputs }: SimilarInputsProps) => {
  const { draft, setKey } = inputs
  const list = (type: FieldType) => [...fields].flatMap(([name, its]) => (its === type ? [name] : []))
  const vectors = list('vector')
  const chosen: unknown[] = Array.isArray(draft.fields) ? draft.fields : []
  const vector = vectors.find(name => chosen.includes(name))
  return (
    <>
      {vectors.length > 0 && (
        <NativeSelect
          label={t('Compare')}
          data={[
            { value: '', label: t('The words of text fields') },
            ...vectors.map(name => ({ value: name, label: t('The vectors of {field}', { field: name }) })),
          ]}
          value={vector ?? ''}
          onChange={({ currentTarget: { value } }) => setKey('fields', value === '' ? undefined : [value])}
        />
      )}
      {vector === undefined && <FieldsInput {...inputs} fields={list('text')} />}
    </>
  )
}
