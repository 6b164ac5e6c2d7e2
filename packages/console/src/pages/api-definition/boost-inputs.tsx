import { Group, NativeSelect, TextInput } from '@mantine/core'
import type { ValueForm } from '@querent/contract/value-form'
import type { FieldType } from '@querent/contract/workspace-file'
import { t } from '#i18n/translate.ts'
import { NumberField } from '#ui/number-field.tsx'
import { type InputsProps, readText } from './draft-inputs.tsx'
import { ValueInput } from './value-input.tsx'

interface BoostInputsProps extends InputsProps {
  type: FieldType | undefined
  form: ValueForm
}

/** The factor of a boost, which depends on the type of the field. */
export const BoostInputs = ({ type, form, ...inputs }: BoostInputsProps) => {
  const { draft, setKey, merge, fault } = inputs
  if (type === 'geo') return <DistanceInputs {...inputs} />
  const isByNumber = draft.by === 'log' || draft.by === 'linear'
  const isByAge = type === 'date' && draft.value === undefined
  return (
    <>
      {!isByNumber && (
        <ValueInput
          {...inputs}
          type={type}
          form={form}
          label={t('Value')}
          description={
            type === 'date'
              ? t('Documents with this value rank higher. Empty: newer documents rank higher.')
              : t('Documents with this value rank higher.')
          }
        />
      )}
      {isByAge ? (
        <TextInput
          label={t('Half-life')}
          description={t(
            'Factor 2 for now, falling to 1: half of the way in each half-life, such as 30d or 12h.',
          )}
          placeholder="30d"
          value={readText(draft.halfLife)}
          error={fault('halfLife')}
          onChange={event => setKey('halfLife', event.currentTarget.value || undefined)}
        />
      ) : (
        <Group grow align="flex-start">
          {type === 'number' && (
            <NativeSelect
              label={t('Multiply by')}
              data={[
                { value: 'factor', label: t('A factor, for one value') },
                { value: 'log', label: t('The number, slowly (logarithm)') },
                { value: 'linear', label: t('The number') },
              ]}
              value={isByNumber ? String(draft.by) : 'factor'}
              onChange={event =>
                merge(
                  event.currentTarget.value === 'factor'
                    ? { by: 2 }
                    : { by: event.currentTarget.value, value: undefined },
                )
              }
            />
          )}
          {!isByNumber && (
            <NumberField
              label={t('Factor')}
              allowed={{ min: 0, isAbove: true, max: 1000 }}
              description={t('2 doubles the score; up to 1,000.')}
              value={typeof draft.by === 'number' ? draft.by : undefined}
              error={fault('by')}
              onChange={by => setKey('by', by)}
            />
          )}
        </Group>
      )}
    </>
  )
}

const DistanceInputs = ({ draft, setKey, fault }: InputsProps) => {
  const origin: { lat?: number; lon?: number } = typeof draft.from === 'object' ? { ...draft.from } : {}
  const change = (key: 'lat' | 'lon', value: number | undefined) => {
    const { [key]: _, ...other } = origin
    const place = value === undefined ? other : { ...other, [key]: value }
    setKey('from', Object.keys(place).length === 0 ? undefined : place)
  }
  return (
    <>
      <TextInput
        label={t('Half distance')}
        description={t('Factor 2 at the place, falling to 1: half of the way in each distance, such as 5km.')}
        placeholder="5km"
        value={readText(draft.halfDistance)}
        error={fault('halfDistance')}
        onChange={event => setKey('halfDistance', event.currentTarget.value || undefined)}
      />
      <Group grow align="flex-start">
        <NumberField
          label={t('Latitude')}
          allowed={{ min: -90, max: 90 }}
          description={t('Empty: the query gives the place.')}
          value={origin.lat}
          error={fault('from')}
          onChange={value => change('lat', value)}
        />
        <NumberField
          label={t('Longitude')}
          allowed={{ min: -180, max: 180 }}
          description={t('In degrees (WGS 84).')}
          value={origin.lon}
          onChange={value => change('lon', value)}
        />
      </Group>
    </>
  )
}
