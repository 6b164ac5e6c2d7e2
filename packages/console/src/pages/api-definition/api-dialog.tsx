/** Forms that add an API, and edit its title and access. */
import { Radio, Stack, TextInput } from '@mantine/core'
import { apiEdit, apiKeyEdit } from '@querent/contract/edit-workspace-text'
import type { Api } from '@querent/contract/workspace-file'
import { namePattern } from '@querent/contract/workspace-names'
import { useState } from 'react'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { FileEditDialog } from '#ui/file-edit-dialog.tsx'
import { toUrlName } from '#ui/url-name.ts'

interface ApiDialogProps extends DialogState {
  workspace: string
  /** Undefined for a new API. */
  api: string | undefined
  definition: Api
  /** Names of the APIs of the workspace. */
  names: readonly string[]
}

type Access = NonNullable<Api['access']>

export const ApiDialog = ({ workspace, api, definition, names, ...dialog }: ApiDialogProps) => {
  const [typedName, setTypedName] = useState(api)
  const [title, setTitle] = useState(definition.title ?? '')
  const [access, setAccess] = useState<Access>(definition.access ?? 'members')
  const isNew = api === undefined
  const name = typedName ?? toUrlName(title)
  const isTaken = isNew && names.includes(name)
  const isAllowed = new RegExp(namePattern).test(name)
  const nameFault = isTaken
    ? t('The workspace already has this API.')
    : name !== '' && !isAllowed
      ? t('Letters A-Z, a-z, digits, hyphens and underscores, 1 to 63.')
      : undefined
  const titleValue = title.trim() === '' ? undefined : title.trim()
  // `members` is the default.
  const accessValue = access === 'members' && definition.access === undefined ? undefined : access
  return (
    <FileEditDialog
      {...dialog}
      title={isNew ? t('Create API') : t('Edit {name}', { name: definition.title ?? api })}
      workspace={workspace}
      path={['apis', ...(name === '' ? [] : [name])]}
      submit={isNew ? t('Create') : t('Save')}
      isInvalid={isTaken || !isAllowed}
      edits={() =>
        isNew
          ? [
              apiEdit(name, {
                ...(titleValue === undefined ? {} : { title: titleValue }),
                ...(accessValue === undefined ? {} : { access: accessValue }),
              }),
            ]
          : [apiKeyEdit(api, 'title', titleValue), apiKeyEdit(api, 'access', accessValue)]
      }
    >
      {fault => (
        <>
          <TextInput
            label={t('Title')}
            description={t('How people see it. Empty: its name.')}
            value={title}
            error={fault('title')}
            data-autofocus
            onChange={event => setTitle(event.currentTarget.value)}
          />
          {isNew && (
            <TextInput
              label={t('Name')}
              description={t('Part of the address of a query. It cannot be changed later.')}
              required
              value={name}
              error={nameFault}
              onChange={event => setTypedName(event.currentTarget.value)}
            />
          )}
          <Radio.Group
            label={t('Access')}
            value={access}
            error={fault('access')}
            // The values are those of the options.
            onChange={value => setAccess(value as Access)}
          >
            <Stack gap="sm" mt="xs">
              <Radio
                value="members"
                label={t('Members only')}
                description={t('Queries need an access token of a member or a System-to-System account.')}
              />
              <Radio
                value="public"
                label={t('Public')}
                description={t(
                  'Anyone can query without a token, and sees all documents of its collections.',
                )}
              />
            </Stack>
          </Radio.Group>
        </>
      )}
    </FileEditDialog>
  )
}
