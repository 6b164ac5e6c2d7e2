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
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: older than the limit
export const EditApplication = ({ workspace, application, isOpen, onClose }: EditApplicationProps) => {
  const { clientId, type, profile } = application
  const [input, setInput] = useState<ApplicationInput>(() => toInput(application))
  const [origins, setOrigins] = useState(application.origins.join('\n'))
  const [logouts, setLogouts] = useState(application.logoutUris.join('\n'))
  const [backchannel, setBackchannel] = useState(application.backchannelLogoutUri ?? '')
  const [audience, setAudience] = useState(application.defaultAudience ?? '')
  const [pkce, setPkce] = useState(application.pkce)
  const [dpop, setDpop] = useState(application.dpop)
  const [disabled, setDisabled] = useState(application.disabled)
  const update = useOperation('updateApplication')
  const save = async () => {
    if (findRedirectFault(input.redirects, type) !== undefined) return
    await update.mutateAsync({
      params: { workspace, clientId },
      input: {
        name: input.name,
        redirectUris: lines(input.redirects),
        origins: lines(origins),
        logoutUris: lines(logouts),
        backchannelLogoutUri: backchannel.trim() || null,
        defaultAudience: audience.trim() || null,
        own: input.own,
        // Others need a code challenge, and the profile fapi2 needs both.
        ...(type === 'server' && profile === null ? { pkce } : {}),
        ...(profile === null ? { dpop } : {}),
        disabled,
      },
    })
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
        <ApplicationFields type={type} value={input} onChange={setInput} error={update.error} />
        <Textarea
          label={t('Origins')}
          description={t(
            'Additional origins whose pages may query, one per line, such as https://www.example.org. Origins of the redirect URIs are already allowed.',
          )}
          autosize
          spellCheck={false}
          value={origins}
          onChange={event => setOrigins(event.currentTarget.value)}
          error={fieldFault(update.error, 'origins')}
        />
        <Textarea
          label={t('Logout URIs')}
          description={t('Allowed URLs to return to after signing out, one per line. Must match exactly.')}
          autosize
          spellCheck={false}
          value={logouts}
          onChange={event => setLogouts(event.currentTarget.value)}
          error={fieldFault(update.error, 'logoutUris')}
        />
        <TextInput
          label={t('Back-channel logout URI')}
          description={t(
            "The server posts a logout token here when a person's session ends, so that the application can end its own.",
          )}
          spellCheck={false}
          value={backchannel}
          onChange={event => setBackchannel(event.currentTarget.value)}
          error={fieldFault(update.error, 'backchannelLogoutUri')}
        />
        <TextInput
          label={t('Default audience')}
          description={t(
            "For libraries that can't send an audience: the address of the query service, or of one API. Empty: such tokens only open the user profile.",
          )}
          spellCheck={false}
          value={audience}
          onChange={event => setAudience(event.currentTarget.value)}
          error={fieldFault(update.error, 'defaultAudience')}
        />
        {profile === null && type === 'server' && (
          <Checkbox
            label={t('Require PKCE')}
            description={t(
              'Clear it only for libraries that can send a nonce, but no code challenge (PKCE).',
            )}
            checked={pkce}
            onChange={event => setPkce(event.currentTarget.checked)}
          />
        )}
        {profile === null && <ProofCheckbox isChecked={dpop} onChange={setDpop} />}
        <Checkbox
          label={t('Disabled: nobody can sign in, and its tokens are rejected')}
          checked={disabled}
          onChange={event => setDisabled(event.currentTarget.checked)}
        />
        <Text size="sm" c="dimmed">
          {t('Takes effect immediately.')}
        </Text>
      </Stack>
    </FormDialog>
  )
}

const toInput = ({ name, redirectUris, own }: Application): ApplicationInput => ({
  name,
  redirects: redirectUris.join('\n'),
  own,
})
