import { NativeSelect } from '@mantine/core'
import type { Proposal, ProposedId } from '@querent/contract/proposal'
import { t, tCount } from '#i18n/translate.ts'

interface IdChoiceProps {
  proposal: Proposal
  onChange: (id: ProposedId) => void
}

/** Values of the choices that are no field. A field has a name without braces, or else can't be chosen. */
const generated = { '{hash}': 'hash', '{row}': 'row' } as const

/** Chooses the id: a field that differs in each document, or one that the server makes. */
export const IdChoice = ({ proposal: { id, idFields, equalDocuments }, onChange }: IdChoiceProps) => (
  <NativeSelect
    label={t('Id')}
    description={describeId(id, equalDocuments)}
    data={[
      ...idFields,
      { value: '{hash}', label: t('Made from the content') },
      { value: '{row}', label: t('Number of the row') },
    ]}
    value={'field' in id ? id.field : `{${id.generate}}`}
    onChange={event => {
      const { value } = event.currentTarget
      onChange(value === '{hash}' || value === '{row}' ? { generate: generated[value] } : { field: value })
    }}
  />
)

/** Says what the id means for later imports. */
const describeId = (id: ProposedId, equalDocuments: number): string => {
  if ('field' in id) return t('Different in each document')
  if (id.generate === 'row') return t('Import the whole file each time: it replaces all documents')
  return equalDocuments > 0
    ? tCount(
        equalDocuments,
        '{count} document equals another one and will be lost',
        '{count} documents equal another one and will be lost',
      )
    : t('A document that has changed is imported as a new one')
}
