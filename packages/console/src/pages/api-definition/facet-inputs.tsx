import { Button, Checkbox, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import type { ValueForm } from '@querent/contract/value-form'
import type { Api, FieldType } from '@querent/contract/workspace-file'
import { useState } from 'react'
import { t } from '#i18n/translate.ts'
import { NumberField } from '#ui/number-field.tsx'
import { writeTypedValue } from '#ui/typed-value.ts'
import { type InputsProps, ParameterInput, readText } from './draft-inputs.tsx'
import { readValue } from './value-input.tsx'

interface FacetInputsProps extends InputsProps {
  type: FieldType | undefined
  form: ValueForm
  definition: Api
}

interface Range {
  from?: string | number | undefined
  to?: string | number | undefined
}

type Grouping = 'values' | 'interval' | 'ranges' | 'separator'

const groupingKeys = ['interval', 'ranges', 'separator'] as const

/** How a facet groups its values. */
export const FacetInputs = ({ type, form, definition, ...inputs }: FacetInputsProps) => {
  const { draft, setKey, fault } = inputs
  const [grouping, setGrouping] = useState<Grouping>(
    groupingKeys.find(key => draft[key] !== undefined) ?? 'values',
  )
  const choose = (chosen: Grouping) => {
    setGrouping(chosen)
    const starts: Readonly<Record<Grouping, unknown>> = {
      values: undefined,
      interval: type === 'date' ? 'year' : 10,
      ranges: [{ to: type === 'date' ? '2000' : 10 }, { from: type === 'date' ? '2000' : 10 }],
      separator: ' > ',
    }
    const cleared = Object.fromEntries([...groupingKeys, 'timeZone'].map(key => [key, undefined]))
    inputs.merge(chosen === 'values' ? cleared : { ...cleared, [chosen]: starts[chosen] })
  }
  const list: Range[] = Array.isArray(draft.ranges) ? draft.ranges : []
  return (
    <>
      <NativeSelect
        label={t('Options')}
        data={listGroupings(type)}
        value={grouping}
        // The values are those of the options.
        onChange={event => choose(event.currentTarget.value as Grouping)}
      />
      {grouping === 'interval' && <IntervalInputs {...inputs} isDate={type === 'date'} />}
      {grouping === 'separator' && (
        <TextInput
          label={t('Separator')}
          description={t('Between the levels: the path Holland > Amsterdam has " > ".')}
          value={readText(draft.separator)}
          error={fault('separator')}
          onChange={event => setKey('separator', event.currentTarget.value)}
        />
      )}
      {grouping === 'ranges' && (
        <RangesInput
          list={list}
          type={type}
          form={form}
          error={fault('ranges')}
          onChange={value => setKey('ranges', value)}
        />
      )}
      <Checkbox
        label={t('Count documents without a value')}
        description={t('As an option with an empty value.')}
        checked={draft.missing === true}
        onChange={event => setKey('missing', event.currentTarget.checked || undefined)}
      />
      {isOrderedType(type) && (
        <Checkbox
          label={t('Statistics')}
          description={t('The smallest, the largest and the average value, and the sum of numbers.')}
          checked={draft.statistics === true}
          onChange={event => setKey('statistics', event.currentTarget.checked || undefined)}
        />
      )}
      {Object.values(definition.endpoints ?? {}).some(({ kind }) => kind === 'collapse') && (
        <Checkbox
          label={t('Count collapsed results')}
          description={t(
            'One for all documents that a "one result per value" endpoint before it keeps as one.',
          )}
          checked={draft.counts === 'collapsed'}
          onChange={event => setKey('counts', event.currentTarget.checked ? 'collapsed' : undefined)}
        />
      )}
      <ParameterInput {...inputs} initial="value" label={t('Parameter with the chosen values')} />
    </>
  )
}

const isOrderedType = (type: FieldType | undefined): boolean => type === 'number' || type === 'date'

const listGroupings = (type: FieldType | undefined): { value: Grouping; label: string }[] => [
  { value: 'values', label: t('Each value') },
  ...(isOrderedType(type)
    ? [
        { value: 'ranges' as const, label: t('Ranges of your own') },
        { value: 'interval' as const, label: t('Intervals') },
      ]
    : []),
  ...(type === 'keyword' ? [{ value: 'separator' as const, label: t('A hierarchy of paths') }] : []),
]

const IntervalInputs = ({ draft, setKey, fault, isDate }: InputsProps & { isDate: boolean }) =>
  isDate ? (
    <>
      <NativeSelect
        label={t('Interval')}
        description={t('Weeks start on Monday.')}
        data={['year', 'month', 'week', 'day', 'hour']}
        value={readText(draft.interval)}
        error={fault('interval')}
        onChange={event => setKey('interval', event.currentTarget.value)}
      />
      <TextInput
        label={t('Time zone')}
        description={t('In which intervals begin, such as Europe/Amsterdam. Empty: UTC.')}
        value={readText(draft.timeZone)}
        error={fault('timeZone')}
        onChange={event => setKey('timeZone', event.currentTarget.value || undefined)}
      />
    </>
  ) : (
    <NumberField
      label={t('Interval')}
      allowed={{ min: 0, isAbove: true }}
      description={t('The size of each group: 10 gives 0 to 10, 10 to 20 and so on.')}
      value={typeof draft.interval === 'number' ? draft.interval : undefined}
      error={fault('interval')}
      onChange={interval => setKey('interval', interval)}
    />
  )

interface RangesInputProps {
  list: readonly Range[]
  type: FieldType | undefined
  form: ValueForm
  error: string | undefined
  onChange: (list: Range[]) => void
}

const RangesInput = ({ list, type, form, error, onChange }: RangesInputProps) => {
  const change = (index: number, end: 'from' | 'to', value: string | number | undefined) =>
    onChange(
      list.map((range, position) => {
        if (position !== index) return range
        const { [end]: _, ...other } = range
        return value === undefined ? other : { ...other, [end]: value }
      }),
    )
  return (
    <Stack gap="xs" role="group" aria-label={t('Ranges')}>
      <Text size="sm" c="dimmed">
        {t('Each range is from its first value to before its end. Leave one empty for no limit.')}
      </Text>
      {list.map((range, index) => (
        // The position is all that tells ranges apart while they are typed.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <Group key={index} gap="xs" align="flex-end" wrap="nowrap">
          <RangeEnd
            label={t('From {number}', { number: index + 1 })}
            end={range.from}
            type={type}
            form={form}
            onChange={value => change(index, 'from', value)}
          />
          <RangeEnd
            label={t('To {number}', { number: index + 1 })}
            end={range.to}
            type={type}
            form={form}
            onChange={value => change(index, 'to', value)}
          />
          <Button
            variant="subtle"
            color="red"
            size="compact-sm"
            mb={6}
            disabled={list.length === 1}
            aria-label={t('Delete range {number}', { number: index + 1 })}
            onClick={() => onChange(list.toSpliced(index, 1))}
          >
            {t('Delete')}
          </Button>
        </Group>
      ))}
      {error && (
        <Text size="sm" c="red" role="alert">
          {error}
        </Text>
      )}
      <Group>
        <Button
          variant="default"
          size="compact-sm"
          onClick={() =>
            onChange([...list, { ...(list.at(-1)?.to === undefined ? {} : { from: list.at(-1)?.to }) }])
          }
        >
          {t('Add range')}
        </Button>
      </Group>
    </Stack>
  )
}

interface RangeEndProps {
  label: string
  end: string | number | undefined
  type: FieldType | undefined
  form: ValueForm
  onChange: (value: string | number | undefined) => void
}

/** Keeps what is typed while it says the value of the draft, so that `12,` can become `12,5`. */
const RangeEnd = ({ label, end, type, form, onChange }: RangeEndProps) => {
  const [typed, setTyped] = useState('')
  const read = (text: string) => {
    const value = text.trim() === '' ? undefined : readValue(text, type, form)
    return typeof value === 'boolean' ? undefined : value
  }
  return (
    <TextInput
      label={label}
      value={read(typed) === end ? typed : writeTypedValue(end ?? '', type, form)}
      onChange={event => {
        setTyped(event.currentTarget.value)
        onChange(read(event.currentTarget.value))
      }}
    />
  )
}
