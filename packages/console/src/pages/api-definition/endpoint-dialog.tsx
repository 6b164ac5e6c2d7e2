/** Forms that add, edit and delete an endpoint. */
import { Radio, SimpleGrid, TextInput } from '@mantine/core'
import { endpointEdit } from '@querent/contract/edit-workspace-text'
import { type EndpointKind, endpointTraits } from '@querent/contract/endpoint-traits'
import type { Endpoint } from '@querent/contract/endpoints'
import type { Api, WorkspaceFile } from '@querent/contract/workspace-file'
import { namePattern, reservedEndpointNames } from '@querent/contract/workspace-names'
import { useState } from 'react'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { FileEditDialog } from '#ui/file-edit-dialog.tsx'
import { toUrlName } from '#ui/url-name.ts'
import type { Draft } from './draft-inputs.tsx'
import { EndpointInputs } from './endpoint-inputs.tsx'
import { findCollections, kinds, listFields } from './kinds.ts'

interface EndpointDialogProps extends DialogState {
  workspace: string
  api: string
  definition: Api
  file: WorkspaceFile
}

export const AddEndpoint = ({ workspace, api, definition, file, ...dialog }: EndpointDialogProps) => {
  const [typedName, setName] = useState<string>()
  const [draft, setDraft] = useState<Draft>(() => startDraft(file, definition, 'match'))
  const name = typedName ?? toUrlName(typeof draft.title === 'string' ? draft.title : '')
  const isTaken = Object.hasOwn(definition.endpoints ?? {}, name)
  const isAllowed = new RegExp(namePattern).test(name) && !reservedEndpointNames.includes(name)
  const nameFault = isTaken
    ? t('The API already has this endpoint.')
    : name !== '' && !isAllowed
      ? t('Letters A-Z, a-z, digits, hyphens and underscores, 1 to 63; not e, p or options.')
      : undefined
  return (
    <FileEditDialog
      {...dialog}
      title={t('Add endpoint')}
      workspace={workspace}
      path={['apis', api, 'endpoints', ...(name === '' ? [] : [name])]}
      submit={t('Add')}
      isInvalid={isTaken || !isAllowed}
      edits={() => [endpointEdit(api, name, draft as Endpoint)]}
    >
      {fault => (
        <>
          <Radio.Group
            label={t('Kind')}
            value={draft.kind}
            // The values are those of the options.
            onChange={kind => setDraft(startDraft(file, definition, kind as EndpointKind))}
          >
            <SimpleGrid cols={{ base: 1, xs: 2 }} mt="xs" spacing="sm">
              {kindOrder.map(kind => (
                <Radio key={kind} value={kind} label={kinds[kind].label} description={kinds[kind].does} />
              ))}
            </SimpleGrid>
          </Radio.Group>
          <TextInput
            label={t('Name')}
            description={t(
              'Part of the address of a query, made from the title below if you do not type one. It cannot be changed later.',
            )}
            required
            value={name}
            error={nameFault}
            onChange={event => setName(event.currentTarget.value)}
          />
          <EndpointInputs
            key={draft.kind}
            draft={draft}
            onChange={setDraft}
            fault={fault}
            definition={definition}
            file={file}
          />
        </>
      )}
    </FileEditDialog>
  )
}

// The table has no other keys.
const kindOrder = Object.keys(kinds) as EndpointKind[]

/** Returns an endpoint with the values that most people choose. */
const startDraft = (file: WorkspaceFile, definition: Api, kind: EndpointKind): Draft => {
  const [collection] = findCollections(file, definition, {})
  const base: Draft = {
    kind,
    ...(endpointTraits[kind].collection === 'own' && collection !== undefined ? { collection } : {}),
  }
  const [field] = listFields(file, definition, base as Endpoint).keys()
  if (kind === 'match') return { ...base, typos: true, prefix: true }
  if (kind === 'mix') return { ...base, of: {} }
  if (kind === 'any') return { ...base, of: [] }
  if (kind === 'together') return { ...base, field: field ?? '', of: [] }
  return kinds[kind].types && kind !== 'similar' ? { ...base, field: field ?? '' } : base
}

interface NamedEndpointProps extends EndpointDialogProps {
  name: string
}

export const EditEndpoint = ({ workspace, api, definition, file, name, ...dialog }: NamedEndpointProps) => {
  const [draft, setDraft] = useState<Draft>(() => ({ ...readEndpoint(definition, name) }))
  return (
    <FileEditDialog
      {...dialog}
      title={t('Edit {name}: {kind}', { name, kind: kinds[draft.kind].label })}
      workspace={workspace}
      path={['apis', api, 'endpoints', name]}
      submit={t('Save')}
      edits={() => [endpointEdit(api, name, draft as Endpoint)]}
    >
      {fault => (
        <EndpointInputs
          draft={draft}
          onChange={setDraft}
          fault={fault}
          definition={definition}
          file={file}
          name={name}
        />
      )}
    </FileEditDialog>
  )
}

const readEndpoint = ({ endpoints = {} }: Api, name: string): Endpoint => {
  const endpoint = endpoints[name]
  if (!endpoint) throw new Error(`no endpoint ${name}`)
  return endpoint
}

export const DeleteEndpoint = ({
  workspace,
  api,
  name,
  definition: _,
  file: __,
  ...dialog
}: NamedEndpointProps) => (
  <FileEditDialog
    {...dialog}
    title={t('Delete the endpoint {name}?', { name })}
    workspace={workspace}
    path={['apis', api, 'endpoints', name]}
    submit={t('Delete')}
    color="red"
    removesUses="ask"
    edits={() => [endpointEdit(api, name, undefined)]}
  />
)
