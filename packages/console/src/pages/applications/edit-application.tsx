import { Checkbox, Stack, Text, Textarea, TextInput } from '@mantine/core'
import type { Application } from '@querent/contract/manage'
import { useState } from 'react'
import { useOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { fieldFault } from '#ui/faults.ts'
import { FormDialog } from '#ui/form-dialog.tsx'
import { lines } from '#ui/lines.ts'
import { ProofCheckbox } from '#ui/proof-checkbox.tsx'
import { ApplicationFields, type ApplicationInput, findRedirectFault } from './application-fields.tsx'

interface EditApplicationProps extends DialogState {
  workspace: string
  application: Application
}

/** Edits, disables or enables an application. */
export const EditApplication = ({ workspace, application, isOpen, onClose }: EditApplicationProps) => {
  const { clientId, type, profile } = application
  const [draft, setDraft] = useState(() => readDraft(application))
  const change = (part: Partial<Draft>) => setDraft(current => ({ ...current, ...part }))
  const update = useOperation('updateApplication')
  const save = async () => {
    if (findRedirectFault(draft.input.redirects, type) !== undefined) return
    await update.mutateAsync({ params: { workspace, clientId }, input: writeDraft(draft, application) })
    onClose()
  }
  return (
    <FormDialog
      title={t('Edit {name}', { name: application.name })}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('Save')}
      onSubmit={save}
      fields={['name', 'redirectUris', 'origins', 'logoutUris', 'backchannelLogoutUri', 'defaultAudience']}
    >
      <Stack>
        <ApplicationFields
          type={type}
          value={draft.input}
          onChange={input => change({ input })}
          error={update.error}
        />
        <Textarea
          label={t('Origins')}
          description={t(
            'Additional origins whose pages may query, one per line, such as https://www.example.org. Origins of the redirect URIs are already allowed.',
          )}
          autosize
          spellCheck={false}
          value={draft.origins}
          onChange={event => change({ origins: event.currentTarget.value })}
          error={fieldFault(update.error, 'origins')}
        />
        <Textarea
          label={t('Logout URIs')}
          description={t('Allowed URLs to return to after signing out, one per line. Must match exactly.')}
          autosize
          spellCheck={false}
          value={draft.logouts}
          onChange={event => change({ logouts: event.currentTarget.value })}
          error={fieldFault(update.error, 'logoutUris')}
        />
        <TextInput
          label={t('Back-channel logout URI')}
          description={t(
            "The server posts a logout token here when a person's session ends, so that the application can end its own.",
          )}
          spellCheck={false}
          value={draft.backchannel}
          onChange={event => change({ backchannel: event.currentTarget.value })}
          error={fieldFault(update.error, 'backchannelLogoutUri')}
        />
        <TextInput
          label={t('Default audience')}
          description={t(
            "For libraries that can't send an audience: the address of the query service, or of one API. Empty: such tokens only open the user profile.",
          )}
          spellCheck={false}
          value={draft.audience}
          onChange={event => change({ audience: event.currentTarget.value })}
          error={fieldFault(update.error, 'defaultAudience')}
        />
        {profile === null && type === 'server' && (
          <Checkbox
            label={t('Require PKCE')}
            description={t(
              'Clear it only for libraries that can send a nonce, but no code challenge (PKCE).',
            )}
            checked={draft.pkce}
            onChange={event => change({ pkce: event.currentTarget.checked })}
          />
        )}
        {profile === null && <ProofCheckbox isChecked={draft.dpop} onChange={dpop => change({ dpop })} />}
        <Checkbox
          label={t('Disabled: nobody can sign in, and its tokens are rejected')}
          checked={draft.disabled}
          onChange={event => change({ disabled: event.currentTarget.checked })}
        />
        <Text size="sm" c="dimmed">
          {t('Takes effect immediately.')}
        </Text>
      </Stack>
    </FormDialog>
  )
}

/** The texts as typed. */
interface Draft {
  input: ApplicationInput
  origins: string
  logouts: string
  backchannel: string
  audience: string
  pkce: boolean
  dpop: boolean
  disabled: boolean
}

const readDraft = (application: Application): Draft => ({
  input: {
    name: application.name,
    redirects: application.redirectUris.join('\n'),
    own: application.own,
  },
  origins: application.origins.join('\n'),
  logouts: application.logoutUris.join('\n'),
  backchannel: application.backchannelLogoutUri ?? '',
  audience: application.defaultAudience ?? '',
  pkce: application.pkce,
  dpop: application.dpop,
  disabled: application.disabled,
})

const writeDraft = (draft: Draft, { type, profile }: Application) => ({
  name: draft.input.name.trim(),
  redirectUris: lines(draft.input.redirects),
  origins: lines(draft.origins),
  logoutUris: lines(draft.logouts),
  backchannelLogoutUri: draft.backchannel.trim() || null,
  defaultAudience: draft.audience.trim() || null,
  own: draft.input.own,
  // Others need a code challenge, and the profile fapi2 needs both.
  ...(type === 'server' && profile === null ? { pkce: draft.pkce } : {}),
  ...(profile === null ? { dpop: draft.dpop } : {}),
  disabled: draft.disabled,
})
