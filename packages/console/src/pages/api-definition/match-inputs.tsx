import { Checkbox, Group, NativeSelect } from '@mantine/core'
import { t } from '#i18n/translate.ts'
import { NumberField } from '#ui/number-field.tsx'
import { FieldsInput, type InputsProps, ParameterInput, readText } from './draft-inputs.tsx'

interface MatchInputsProps extends InputsProps {
  fields: readonly string[]
}

/** The lengths that `typos: true` stands for. */
const usualLengths = { one: 4, two: 8 }
const lettersAllowed = { min: 1, max: 64, isWhole: true }

/** Inputs of a full-text search. */
export const MatchInputs = ({ fields, ...inputs }: MatchInputsProps) => {
  const { draft, setKey, fault } = inputs
  const lengths = typeof draft.typos === 'object' && draft.typos !== null ? draft.typos : undefined
  const { one, two } = { ...usualLengths, ...lengths }
  return (
    <>
      <FieldsInput {...inputs} fields={fields} />
      <Checkbox
        label={t('Complete the last word')}
        description={t('For results while people type.')}
        checked={draft.prefix === true}
        onChange={event => setKey('prefix', event.currentTarget.checked || undefined)}
      />
      <NativeSelect
        label={t('Typos')}
        description={t('Swapped neighbors count as one typo, a wrong first letter as two.')}
        data={[
          { value: 'off', label: t('None') },
          { value: 'on', label: t('One from 4 letters, two from 8') },
          { value: 'lengths', label: t('Other lengths') },
        ]}
        value={lengths ? 'lengths' : draft.typos === true ? 'on' : 'off'}
        error={fault('typos')}
        onChange={event => {
          const chosen = event.currentTarget.value
          setKey('typos', chosen === 'lengths' ? usualLengths : chosen === 'on' || undefined)
        }}
      />
      {lengths && (
        <Group grow align="flex-start">
          <NumberField
            label={t('Letters for one typo')}
            required
            allowed={lettersAllowed}
            value={one}
            onChange={letters => setKey('typos', { one: letters, two })}
          />
          <NumberField
            label={t('Letters for two typos')}
            required
            allowed={lettersAllowed}
            value={two}
            onChange={letters => setKey('typos', { one, two: letters })}
          />
        </Group>
      )}
      <Checkbox
        label={t('Also find parts of words')}
        description={t(
          'A search for proof also finds waterproof, after all other results. Words of three letters or more.',
        )}
        checked={draft.contains === true}
        onChange={event => setKey('contains', event.currentTarget.checked || undefined)}
      />
      <NativeSelect
        label={t('Words that a document must have')}
        data={[
          { value: 'any', label: t('At least one') },
          { value: 'all', label: t('All') },
          { value: 'relaxed', label: t('All, or fewer if nothing has them all') },
        ]}
        value={readText(draft.matching) || 'any'}
        onChange={event =>
          setKey('matching', event.currentTarget.value === 'any' ? undefined : event.currentTarget.value)
        }
      />
      <NativeSelect
        label={t('Documents whose whole text is the query come first')}
        data={[
          { value: '', label: t('With completion or typos') },
          { value: 'yes', label: t('Always') },
          { value: 'no', label: t('Never') },
        ]}
        value={draft.exact === undefined ? '' : draft.exact === true ? 'yes' : 'no'}
        onChange={event =>
          setKey('exact', event.currentTarget.value === '' ? undefined : event.currentTarget.value === 'yes')
        }
      />
      <ParameterInput {...inputs} initial="query" label={t('Parameter with the words')} />
    </>
  )
}
