/** The endpoints of an API, and the forms that change them. */
import { Group, Stack, Text, Title } from '@mantine/core'
import type { Endpoint } from '@querent/contract/endpoints'
import type { Api, WorkspaceFile } from '@querent/contract/workspace-file'
import { useParams } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { readTitle } from '#api/standard-titles.ts'
import { t } from '#i18n/translate.ts'
import { DefinitionTable } from '#ui/definition-table.tsx'
import { DialogButton } from '#ui/dialog-button.tsx'
import { Empty } from '#ui/empty.tsx'
import { FileLink } from '#ui/file-link.tsx'
import { ApiFrame } from './api-frame.tsx'
import { describeEndpoint, purposes } from './describe-endpoint.ts'
import { kinds, listFields } from './kinds.ts'

const FindEndpoint = lazy(async () => ({ default: (await import('./find-endpoint.tsx')).FindEndpoint }))
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
  const [search, setSearch] = useState('')
  const endpoints = Object.entries(definition.endpoints ?? {}).map(([name, endpoint]): [string, Endpoint] => [
    name,
    endpoint.title === undefined ? endpoint : { ...endpoint, title: readTitle(endpoint.title) },
  ])
  const shownEndpoints = endpoints.filter(entry => hasWords(place, entry, search))
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
        <>
          {endpoints.length > searchedFrom && (
            <Suspense>
              <FindEndpoint search={search} onChange={setSearch} />
            </Suspense>
          )}
          {shownEndpoints.length === 0 && <Text size="sm">{t('Nothing found')}</Text>}
          {purposes.map(({ label, kinds: ofPurpose }) => (
            <EndpointsOfPurpose
              key={label}
              {...place}
              label={label}
              entries={shownEndpoints.filter(([, { kind }]) => ofPurpose.includes(kind))}
            />
          ))}
        </>
      )}
      <FileLink workspace={workspace} path={['apis', api, 'endpoints']} />
    </Stack>
  )
}

/** A shorter list is read faster than it is searched. */
const searchedFrom = 8

/** Returns the sentence on an endpoint. A sort and a filter of places say something else than those of other values. */
const describe = ({ file, definition }: EndpointListProps, endpoint: Endpoint): string =>
  describeEndpoint(
    endpoint,
    'field' in endpoint &&
      typeof endpoint.field === 'string' &&
      listFields(file, definition, endpoint).get(endpoint.field) === 'geo',
  )

/** Whether a name, a title or the sentence has all words that somebody types. */
const hasWords = (
  place: EndpointListProps,
  [name, endpoint]: readonly [string, Endpoint],
  search: string,
): boolean => {
  const text = [name, endpoint.title, kinds[endpoint.kind].label, describe(place, endpoint)]
    .join(' ')
    .toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every(word => text.includes(word))
}

interface EndpointsOfPurposeProps extends EndpointListProps {
  label: string
  entries: [name: string, endpoint: Endpoint][]
}

const EndpointsOfPurpose = ({ label, entries, ...place }: EndpointsOfPurposeProps) =>
  entries.length > 0 && (
    <Stack gap="xs">
      <Title order={2} size="h5">
        {label}
      </Title>
      <DefinitionTable
        caption={label}
        heading={t('Endpoint')}
        entries={entries}
        columns={[
          { heading: t('Kind'), cell: ({ kind }) => kinds[kind].label },
          { heading: t('What it does'), cell: endpoint => describe(place, endpoint) },
        ]}
        editDialog={(name, dialog) => <EditEndpoint {...dialog} {...place} name={name} />}
        deleteDialog={(name, dialog) => <DeleteEndpoint {...dialog} {...place} name={name} />}
      />
    </Stack>
  )
