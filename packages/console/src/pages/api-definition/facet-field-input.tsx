import { Checkbox, Stack, TextInput } from '@mantine/core'
import { listFacetFields } from '@querent/contract/facet-fields'
import type { ReactNode } from 'react'
import { t } from '#i18n/translate.ts'
import { type Draft, type InputsProps, readText } from './draft-inputs.tsx'
import type { FacetEndpoint } from './kinds.ts'

interface FacetFieldInputProps extends InputsProps {
  fields: readonly string[]
  /** The input of one field. */
  children: ReactNode
}

/** The field of a facet, or those among which the query chooses. */
export const FacetFieldInput = ({ draft, merge, fault, fields, children }: FacetFieldInputProps) => {
  const choice = readChoice(draft)
  const change = (part: Partial<{ parameter: string; among: string[] }>) =>
    merge({ field: { ...choice, ...part } })
  return (
    <>
      <Checkbox
        label={t('The query chooses the field')}
        checked={choice !== undefined}
        onChange={event =>
          merge({
            field: event.currentTarget.checked
              ? { parameter: 'attribute', among: [readText(draft.field)] }
              : (choice?.among[0] ?? fields[0]),
          })
        }
      />
      {choice ? (
        <>
          <TextInput
            label={t('Parameter with the field')}
            value={choice.parameter}
            error={fault('field')}
            onChange={event => change({ parameter: event.currentTarget.value })}
          />
          <Checkbox.Group
            label={t('Fields')}
            description={t('Of one type, up to 20.')}
            value={choice.among}
            onChange={among => change({ among })}
          >
            <Stack gap={6} mt={6}>
              {fields.map(name => (
                <Checkbox key={name} value={name} label={name} />
              ))}
            </Stack>
          </Checkbox.Group>
        </>
      ) : (
        children
      )}
    </>
  )
}

/** Returns the parameter and the fields; undefined for a facet of one field. */
const readChoice = (draft: Draft): { parameter: string; among: string[] } | undefined => {
  const { field } = draft as FacetEndpoint
  return typeof field === 'object'
    ? { parameter: field.parameter, among: [...listFacetFields({ field })] }
    : undefined
}
