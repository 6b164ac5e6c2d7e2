import { NativeSelect } from '@mantine/core'
import { findNearId, type NearId, type Proposal } from '@querent/contract/proposal'
import { t, tCount } from '#i18n/translate.ts'

interface IdChoiceProps {
  proposal: Proposal
  onChange: (id: Proposal['id']) => void
}

/** Values of the choices that are no field. A field has a name without braces, or else can't be chosen. */
const generated = { '{hash}': 'hash', '{row}': 'row' } as const

/** Chooses the id: a field that differs in each document, or in nearly all, or one that the server makes. */
export const IdChoice = ({ proposal, onChange }: IdChoiceProps) => (
  <NativeSelect
    label={t('Id')}
    description={describeId(proposal)}
    data={[
      ...proposal.idFields,
      ...proposal.nearIds.map(nearId => ({ value: nearId.field, label: labelNearId(nearId) })),
      { value: '{hash}', label: t('Made from the content') },
      { value: '{row}', label: t('Number of the row') },
    ]}
    value={'field' in proposal.id ? proposal.id.field : `{${proposal.id.generate}}`}
    onChange={event => {
      const { value } = event.currentTarget
      onChange(value === '{hash}' || value === '{row}' ? { generate: generated[value] } : { field: value })
    }}
  />
)

const countDifferent = ({ documents, repeated, missing }: NearId): number => documents - repeated - missing

const labelNearId = (nearId: NearId): string =>
  t('{field} ({different} of {documents} are different)', {
    field: nearId.field,
    different: countDifferent(nearId),
    documents: nearId.documents,
  })

/** Says what the id means for this import and later ones. */
const describeId = (proposal: Proposal): string => {
  const nearId = findNearId(proposal)
  if (nearId) return describeNearId(nearId)
  if ('field' in proposal.id) return t('Different in each document')
  const [offered] = proposal.nearIds
  return [
    describeGenerated(proposal.id.generate, proposal.equalDocuments),
    ...(offered ? [`${labelNearId(offered)}.`] : []),
  ].join('. ')
}

/** Says what the import does with documents that have no id of their own. */
const describeNearId = ({ repeated, missing, examples }: NearId): string =>
  [
    ...(repeated > 0
      ? [
          tCount(
            repeated,
            '{count} document has the id of an earlier one, and will replace it: {examples}.',
            '{count} documents have the id of an earlier one, and will replace it: {examples}.',
            { examples: examples.join(', ') },
          ),
        ]
      : []),
    ...(missing > 0
      ? [
          tCount(
            missing,
            '{count} document has no id, and will be rejected.',
            '{count} documents have no id, and will be rejected.',
          ),
        ]
      : []),
  ].join(' ')

const describeGenerated = (generate: 'hash' | 'row', equalDocuments: number): string => {
  if (generate === 'row') return t('Import the whole file each time: it replaces all documents')
  return equalDocuments > 0
    ? tCount(
        equalDocuments,
        '{count} document equals another one and will be lost',
        '{count} documents equal another one and will be lost',
      )
    : t('A document that has changed is imported as a new one')
}
