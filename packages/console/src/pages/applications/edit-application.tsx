import { Checkbox, Stack, Text, Textarea } from '@mantine/core'
import type { Application } from '@querent/contract/manage'
import { useState } from 'react'
import { useOperation } from '#api/manage.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { fieldFault } from '#ui/faults.ts'
import { FormDialog } from '#ui/form-dialog.tsx'
import { lines } from '#ui/lines.ts'
import { ApplicationFields, type ApplicationInput, findRedirectFault } from './application-fields.tsx'

interface EditApplicationProps extends DialogState {
  workspace: string
  application: Application
}

/** Changes an application, and disables it or enables it again. */
export const EditApplication = ({ workspace, application, isOpen, onClose }: EditApplicationProps) => {
  const { clientId, type } = application
  const [input, setInput] = useState<ApplicationInput>(() => toInput(application))
  const [origins, setOrigins] = useState(application.origins.join('\n'))
  const [logouts, setLogouts] = useState(application.logoutUris.join('\n'))
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
        own: input.own,
        disabled,
      },
    })
    onClose()
  }
  return (
    <FormDialog
      title={`Change ${application.name}`}
      isOpen={isOpen}
      onClose={onClose}
      submit="Save"
      onSubmit={save}
      fields={['name', 'redirectUris', 'origins', 'logoutUris']}
    >
      <Stack>
        <ApplicationFields type={type} value={input} onChange={setInput} error={update.error} />
        <Textarea
          label="Origins"
          description="Whose pages may query beside those of the redirect URIs, such as https://www.example.org; one on each line"
          autosize
          spellCheck={false}
          value={origins}
          onChange={event => setOrigins(event.currentTarget.value)}
          error={fieldFault(update.error, 'origins')}
        />
        <Textarea
          label="Logout URIs"
          description="Where people may come back to after signing out, exactly; one on each line"
          autosize
          spellCheck={false}
          value={logouts}
          onChange={event => setLogouts(event.currentTarget.value)}
          error={fieldFault(update.error, 'logoutUris')}
        />
        <Checkbox
          label="Disabled: nobody signs in to it, and its tokens are refused"
          checked={disabled}
          onChange={event => setDisabled(event.currentTarget.checked)}
        />
        <Text size="sm" c="dimmed">
          It holds from the very next request on.
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
