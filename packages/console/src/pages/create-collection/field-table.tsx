import { Button, Checkbox, NativeSelect, Text } from '@mantine/core'
import {
  facetTypes,
  type ProposedField,
  proposedTypes,
  rangeTypes,
  separatedTypes,
  sortTypes,
  tieTypes,
  titleWeight,
} from '@querent/contract/proposal'
import { t } from '#i18n/translate.ts'
import { DataTable } from '#ui/data-table.tsx'
import { isPictureField } from '#ui/pictures.ts'
import { plainText } from '#ui/plain-text.ts'
import { nameSign } from '#ui/separator-signs.ts'
import { changeListSeparator, changeType } from './change-type.ts'
import { TypeCheck } from './type-check.tsx'

interface FieldTableProps {
  fields: readonly ProposedField[]
  onChange: (field: ProposedField) => void
}

/** Shows the fields, and the choices for each. */
export const FieldTable = ({ fields, onChange }: FieldTableProps) => (
  <DataTable
    caption={t('Fields')}
    rows={fields}
    rowKey={({ name }) => name}
    columns={[
      { heading: t('Field'), cell: field => <FieldName {...field} /> },
      { heading: t('Type'), cell: field => <FieldTypeChoice field={field} onChange={onChange} /> },
      ...choices.map(choice => ({
        heading: choice.heading,
        cell: (field: ProposedField) =>
          choice.isOffered(field) && (
            <Checkbox
              aria-label={choice.label(field)}
              disabled={choice.isLocked?.(field) ?? false}
              checked={choice.isChosen(field)}
              onChange={event => onChange(choose(field, choice, event.currentTarget.checked))}
            />
          ),
      })),
    ]}
  />
)

interface Choice {
  heading: string
  label: (field: ProposedField) => string
  isOffered: (field: ProposedField) => boolean
  /** Default: never. */
  isLocked?: (field: ProposedField) => boolean
  isChosen: (field: ProposedField) => boolean
  choose: (isChosen: boolean) => Partial<ProposedField>
}

const usedChoice: Choice = {
  heading: t('Used'),
  label: ({ name }) => t('Use {name}', { name }),
  isOffered: () => true,
  isChosen: ({ use }) => use,
  choose: use => ({ use }),
}

/** The columns with a box to check. */
const choices: readonly Choice[] = [
  usedChoice,
  {
    heading: t('Searched'),
    label: ({ name }) => t('Search {name}', { name }),
    isOffered: ({ type }) => type === 'text' || type === 'keyword',
    isLocked: ({ type, use }) => use && type === 'text',
    isChosen: ({ type, search, use }) => use && (type === 'text' || search),
    choose: search => ({ search }),
  },
  {
    heading: t('Counts more'),
    label: ({ name }) => t('{name} counts more', { name }),
    isOffered: ({ type }) => type === 'text',
    isChosen: ({ weight, use }) => use && weight > 1,
    choose: isHeavy => ({ weight: isHeavy ? titleWeight : 1 }),
  },
  {
    heading: t('Facet'),
    label: ({ name }) => t('Facet of {name}', { name }),
    isOffered: ({ type }) => facetTypes.includes(type),
    isChosen: ({ facet, use }) => use && facet,
    choose: facet => ({ facet }),
  },
  {
    heading: t('Range'),
    label: ({ name, type }) =>
      type === 'geo' ? t('Distance from {name}', { name }) : t('Range of {name}', { name }),
    isOffered: ({ type }) => rangeTypes.includes(type),
    isChosen: ({ range, use }) => use && range,
    choose: range => ({ range }),
  },
  {
    heading: t('Sort'),
    label: ({ name }) => t('Sort by {name}', { name }),
    isOffered: ({ type }) => sortTypes.includes(type),
    isChosen: ({ sort, use }) => use && sort,
    choose: sort => ({ sort }),
  },
  {
    heading: t('Breaks ties'),
    label: ({ name }) => t('{name} breaks ties', { name }),
    isOffered: ({ type }) => tieTypes.includes(type),
    isChosen: ({ breaksTies, use }) => use && breaksTies,
    choose: breaksTies => ({ breaksTies }),
  },
]

const withoutUses = { weight: 1, search: false, facet: false, range: false, sort: false, breaksTies: false }

/** A box of an unused field makes it used, for this purpose only. */
const choose = (field: ProposedField, choice: Choice, isChosen: boolean): ProposedField => ({
  ...field,
  ...(isChosen && !field.use && choice !== usedChoice ? { ...withoutUses, use: true } : {}),
  ...choice.choose(isChosen),
})

const FieldName = ({ name, examples, from, use }: ProposedField) => (
  <div className="field-name">
    <Text size="sm" fw={600}>
      {name}
    </Text>
    <Text size="xs" c="dimmed" lineClamp={1}>
      {examples.map(text => plainText(text)).join(' · ') || t('empty')}
    </Text>
    {isPictureField(name.slice(name.lastIndexOf('.') + 1), examples) && (
      <Text size="xs">
        {use ? t('Shown as a picture') : t('Only shown as a picture, which needs no field')}
      </Text>
    )}
    {from && (
      <Text size="xs" c="dimmed">
        {t('from {lat} and {lon}', from)}
      </Text>
    )}
  </div>
)

interface FieldTypeChoiceProps {
  field: ProposedField
  onChange: (field: ProposedField) => void
}

const FieldTypeChoice = ({ field, onChange }: FieldTypeChoiceProps) => (
  <>
    <NativeSelect
      size="xs"
      miw={108}
      aria-label={t('Type of {name}', { name: field.name })}
      data={field.from ? [field.type] : [...proposedTypes]}
      value={field.type}
      onChange={event => {
        const type = proposedTypes.find(proposed => proposed === event.currentTarget.value)
        if (type) onChange(changeType(field, type))
      }}
    />
    <TypeCheck field={field} onChange={onChange} />
    <SeparatorChoice field={field} onChange={onChange} />
  </>
)

/** Says that texts are several values, or offers it for the signs that they have. */
const SeparatorChoice = ({ field, onChange }: FieldTypeChoiceProps) => {
  const { name, type, use, listSeparator, listSeparators } = field
  if (!use || !separatedTypes.includes(type)) return null
  if (listSeparator !== undefined)
    return (
      <>
        <Text size="xs" role="status">
          {t('Several values, separated by {sign}', { sign: nameSign(listSeparator) })}
        </Text>
        <Button
          size="compact-xs"
          variant="light"
          aria-label={t('One value in {name}', { name })}
          onClick={() => onChange(changeListSeparator(field, undefined))}
        >
          {t('One value')}
        </Button>
      </>
    )
  return listSeparators.map(sign => (
    <Button
      key={sign}
      size="compact-xs"
      variant="light"
      mt={4}
      aria-label={t('Split {name} at {sign}', { name, sign: nameSign(sign) })}
      onClick={() => onChange(changeListSeparator(field, sign))}
    >
      {t('Split at {sign}', { sign: nameSign(sign) })}
    </Button>
  ))
}
