/** The declared fields of the collection, and the forms that change them. */
import { Code, Group, Stack, Text } from '@mantine/core'
import type { Collection, Field } from '@querent/contract/workspace-file'
import { useSuspenseQuery } from '@tanstack/react-query'
import { lazy } from 'react'
import { readWorkspaceFile } from '#api/workspace-file-edit.ts'
import { t } from '#i18n/translate.ts'
import { DataTable } from '#ui/data-table.tsx'
import { DialogButton } from '#ui/dialog-button.tsx'
import { Empty } from '#ui/empty.tsx'
import { FileLink } from '#ui/file-link.tsx'
import { useCollection } from './collection-context.ts'

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
        <DataTable
          caption={t('Fields')}
          rows={fields}
          rowKey={([name]) => name}
          columns={[
            {
              heading: t('Field'),
              cell: ([name, { title }]) => (
                <>
                  <Text size="sm" fw={600}>
                    {name}
                  </Text>
                  {title && (
                    <Text size="xs" c="dimmed">
                      {title}
                    </Text>
                  )}
                </>
              ),
            },
            { heading: t('Type'), cell: ([, { type }]) => <Code>{type}</Code> },
            { heading: t('Options'), cell: ([, field]) => describeOptions(field, definition) || '–' },
            {
              heading: '',
              cell: ([name]) => (
                <Group gap={4} justify="flex-end" wrap="nowrap">
                  <DialogButton
                    label={t('Edit')}
                    description={t('Edit {name}', { name })}
                    size="compact-sm"
                    variant="subtle"
                  >
                    {dialog => <FieldDialog {...dialog} {...place} name={name} />}
                  </DialogButton>
                  <DialogButton
                    label={t('Delete')}
                    description={t('Delete {name}', { name })}
                    size="compact-sm"
                    variant="subtle"
                    color="red"
                  >
                    {dialog => <DeleteField {...dialog} {...place} name={name} />}
                  </DialogButton>
                </Group>
              ),
            },
          ]}
        />
      )}
      <FileLink workspace={workspace} path={['collections', collection, 'fields']} />
    </Stack>
  )
}

const describeOptions = (field: Field, { language = 'none' }: Collection): string => {
  if (field.type === 'vector') return t('{count} dimensions', { count: field.dimensions })
  if (field.type !== 'text') return ''
  const parts = [
    t('language {language}', { language: field.language ?? language }),
    ...(field.weight === undefined ? [] : [t('weight {weight}', { weight: field.weight })]),
    ...(field.suggest ? [t('suggestions')] : []),
  ]
  return parts.join(' · ')
}
