/** The endpoints of an API, and the forms that change them. */
import { Group, Stack, Text } from '@mantine/core'
import type { Endpoint } from '@querent/contract/endpoints'
import { listFacetFields } from '@querent/contract/facet-fields'
import type { Api, WorkspaceFile } from '@querent/contract/workspace-file'
import { useParams } from '@tanstack/react-router'
import { lazy } from 'react'
import { t } from '#i18n/translate.ts'
import { DefinitionTable } from '#ui/definition-table.tsx'
import { DialogButton } from '#ui/dialog-button.tsx'
import { Empty } from '#ui/empty.tsx'
import { FileLink } from '#ui/file-link.tsx'
import { ApiFrame } from './api-frame.tsx'
import { kinds } from './kinds.ts'

const AddEndpoint = lazy(async () => ({ default: (await import('./endpoint-dialog.tsx')).AddEndpoint }))
const EditEndpoint = lazy(async () => ({ default: (await import('./endpoint-dialog.tsx')).EditEndpoint }))
const DeleteEndpoint = lazy(async () => ({ default: (await import('./endpoint-dialog.tsx')).DeleteEndpoint }))

export const Endpoints = () => {
  const { workspace, api } = useParams({ from: '/signed-in/w/$workspace/apis/$api/endpoints' })
  return (
    <ApiFrame workspace={workspace} api={api} current="endpoints">
      {(definition, file) => (
        <EndpointList workspace={workspace} api={api} definition={definition} file={file} />
      )}
    </ApiFrame>
  )
}

interface EndpointListProps {
  workspace: string
  api: string
  definition: Api
  file: WorkspaceFile
}

const EndpointList = (place: EndpointListProps) => {
  const { workspace, api, definition } = place
  const endpoints = Object.entries(definition.endpoints ?? {})
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <Text c="dimmed" size="sm" maw={700}>
          {t('Applications use endpoints by their names: a search, then filters, facets and a sort order.')}
        </Text>
        <DialogButton label={t('Add endpoint')}>
          {dialog => <AddEndpoint {...dialog} {...place} />}
        </DialogButton>
      </Group>
      {endpoints.length === 0 ? (
        <Empty title={t('No endpoints yet')}>{t('Add a full-text search first.')}</Empty>
      ) : (
        <DefinitionTable
          caption={t('Endpoints')}
          heading={t('Endpoint')}
          entries={endpoints}
          columns={[
            { heading: t('Kind'), cell: ({ kind }) => kinds[kind].label },
            { heading: t('Uses'), cell: describeUse },
          ]}
          editDialog={(name, dialog) => <EditEndpoint {...dialog} {...place} name={name} />}
          deleteDialog={(name, dialog) => <DeleteEndpoint {...dialog} {...place} name={name} />}
        />
      )}
      <FileLink workspace={workspace} path={['apis', api, 'endpoints']} />
    </Stack>
  )
}

/** Returns the collection and the fields, or the parts of a mix. */
const describeUse = (endpoint: Endpoint): string => {
  if (endpoint.kind === 'mix')
    return Object.entries(endpoint.of)
      .map(([name, weight]) => `${name} × ${weight}`)
      .join(', ')
  if (endpoint.kind === 'any') return endpoint.of.join(', ')
  if (endpoint.kind === 'together') return joinUse(endpoint.field, endpoint.of.join(', '))
  if (endpoint.kind === 'facets') return endpoint.of?.join(', ') ?? ''
  if (endpoint.kind === 'facet') return joinUse(endpoint.collection, listFacetFields(endpoint).join(', '))
  const fields =
    'field' in endpoint ? endpoint.field : 'fields' in endpoint ? endpoint.fields?.join(', ') : undefined
  return joinUse(endpoint.collection, fields)
}

const joinUse = (...parts: (string | undefined)[]): string =>
  parts.filter(part => part !== undefined).join(': ')
