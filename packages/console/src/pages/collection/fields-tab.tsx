/** The declared fields of the collection, and the forms that change them. */
import { Code, Group, Stack, Text, Title } from '@mantine/core'
import { readListSeparator } from '@querent/contract/list-separator'
import type { Collection, Field } from '@querent/contract/workspace-file'
import { useSuspenseQuery } from '@tanstack/react-query'
import { lazy } from 'react'
import { readWorkspaceFile } from '#api/workspace-file-edit.ts'
import { joinNames, t } from '#i18n/translate.ts'
import { describeCopy } from '#ui/copied-field.ts'
import { DefinitionTable } from '#ui/definition-table.tsx'
import { describeSight } from '#ui/describe-sight.ts'
import { DialogButton } from '#ui/dialog-button.tsx'
import { Empty } from '#ui/empty.tsx'
import { Facts } from '#ui/facts.tsx'
import { FileLink } from '#ui/file-link.tsx'
import { nameSign } from '#ui/separator-signs.ts'
import { useCollection } from './collection-context.ts'

const CollectionDialog = lazy(async () => ({
  default: (await import('./collection-dialog.tsx')).CollectionDialog,
}))
const FieldDialog = lazy(async () => ({ default: (await import('./field-dialog.tsx')).FieldDialog }))
const DeleteField = lazy(async () => ({ default: (await import('./field-dialog.tsx')).DeleteField }))

export const FieldsTab = () => {
  const { workspace, summary } = useCollection()
  const { collection } = summary
  const { data } = useSuspenseQuery(readWorkspaceFile(workspace))
  const definition: Collection = data.file.collections?.[collection] ?? {}
  const fields = Object.entries(definition.fields ?? {})
  const place = { workspace, collection, definition }
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <Text c="dimmed" size="sm" maw={700}>
          {t('Only declared fields are searched. Other attributes of a document are stored and returned.')}
        </Text>
        <DialogButton label={t('Add field')}>
          {dialog => <FieldDialog {...dialog} {...place} name={undefined} />}
        </DialogButton>
      </Group>
      {fields.length === 0 ? (
        <Empty title={t('No fields yet')}>{t('Add a text field to search its words.')}</Empty>
      ) : (
        <DefinitionTable
          caption={t('Fields')}
          heading={t('Field')}
          entries={fields}
          columns={[
            { heading: t('Type'), cell: ({ type }) => <Code>{type}</Code> },
            { heading: t('Options'), cell: field => describeOptions(field, definition) || '–' },
            ...(fields.some(([, { visible }]) => visible)
              ? [{ heading: t('Visibility'), cell: ({ visible }: Field) => describeSight(visible) }]
              : []),
          ]}
          editDialog={(name, dialog) => <FieldDialog {...dialog} {...place} name={name} />}
          deleteDialog={(name, dialog) => <DeleteField {...dialog} {...place} name={name} />}
        />
      )}
      <CollectionFacts {...place} />
      <FileLink workspace={workspace} path={['collections', collection, 'fields']} />
    </Stack>
  )
}

/** How documents are identified and analyzed, and the form that changes it. */
const CollectionFacts = (place: { workspace: string; collection: string; definition: Collection }) => {
  const { id, class: types, language = 'none', readers } = place.definition
  return (
    <Stack gap="xs" role="group" aria-label={t('Documents of this collection')}>
      <Group justify="space-between">
        <Title order={2} size="h4">
          {t('Documents of this collection')}
        </Title>
        <DialogButton
          label={t('Edit')}
          description={t('Edit {name}', { name: t('Documents of this collection') })}
          variant="default"
        >
          {dialog => <CollectionDialog {...dialog} {...place} />}
        </DialogButton>
      </Group>
      <Facts
        facts={[
          [t('Id'), id?.field ?? 'id'],
          [t('URI'), id?.uri ?? t('default')],
          [t('Class'), describeClass(types)],
          [t('Language'), language],
          [
            t('Readers of documents'),
            readers ? t('those that {field} names', { field: readers.field }) : t('everybody'),
          ],
        ]}
      />
    </Stack>
  )
}

const describeClass = (types: Collection['class']): string => {
  if (types === undefined) return t('none')
  return Array.isArray(types) ? types.join(', ') : t('value of {field}', { field: types.field })
}

/** How numbers and dates are written, as the form of a new collection says it. */
const listForms = (field: Field): readonly string[] => {
  if (field.type === 'number' && field.decimal !== undefined)
    return [{ ',': '1.000,5', '.': '1,000.5' }[field.decimal]]
  return field.type === 'date' ? (field.formats ?? []) : []
}

const describeOptions = (field: Field, { language = 'none', fields }: Collection): string => {
  if (field.type === 'vector')
    return `${t('{count} dimensions', { count: field.dimensions })} · ${field.metric ?? 'cosine'}`
  const listSeparator = readListSeparator(field)
  const separated =
    listSeparator === undefined
      ? []
      : [t('several values, separated by {sign}', { sign: nameSign(listSeparator) })]
  if (field.type === 'object')
    return field.fields ? t('with {fields}', { fields: joinNames(Object.keys(field.fields)) }) : ''
  if (field.type !== 'text') return [...listForms(field), ...separated].join(' · ')
  const copy = describeCopy(field, fields)
  const parts = [
    ...(copy === undefined ? [] : [copy]),
    t('language {language}', { language: field.language ?? language }),
    ...(field.weight === undefined ? [] : [t('weight {weight}', { weight: field.weight })]),
    ...(field.suggest ? [t('suggestions')] : []),
    ...(field.codes ? [t('codes')] : []),
    ...separated,
  ]
  return parts.join(' · ')
}
