import { Group } from '@mantine/core'
import { t } from '#i18n/translate.ts'
import { NumberField } from '#ui/number-field.tsx'
import { type InputsProps, ParameterInput } from './draft-inputs.tsx'

interface NearestInputsProps extends InputsProps {
  /** Whether the server makes the vectors of the field, so that queries have text. */
  isEmbedded: boolean
}

/** Bounds and parameter of a search by vectors. */
export const NearestInputs = ({ isEmbedded, ...inputs }: NearestInputsProps) => {
  const { draft, setKey, fault } = inputs
  return (
    <>
      <Group grow align="flex-start">
        <NumberField
          label={t('Most results')}
          allowed={{ min: 1, max: 10_000, isWhole: true }}
          description={t('1 to 10,000. Empty: 1,000.')}
          placeholder="1000"
          value={typeof draft.limit === 'number' ? draft.limit : undefined}
          error={fault('limit')}
          onChange={limit => setKey('limit', limit)}
        />
        <NumberField
          label={t('Least similarity')}
          allowed={{ min: 0, max: 1 }}
          description={t('0 to 1. Less similar documents are left out.')}
          placeholder="0"
          value={typeof draft.minimum === 'number' ? draft.minimum : undefined}
          error={fault('minimum')}
          onChange={minimum => setKey('minimum', minimum)}
        />
      </Group>
      {isEmbedded ? (
        <ParameterInput {...inputs} initial="query" label={t('Parameter with the words')} />
      ) : (
        <ParameterInput {...inputs} initial="vector" label={t('Parameter with the vector')} />
      )}
    </>
  )
}
