import { Checkbox, Stack, Text, Textarea } from '@mantine/core'
import type { Application } from '@querent/contract/manage'
import { useState } from 'react'
import { useChange } from '#api/manage.ts'
import { Dialogue } from '#ui/dialog.tsx'
import type { Opened } from '#ui/dialog-button.tsx'
import { faultAt } from '#ui/faults.ts'
import { lines } from '#ui/lines.ts'
import { ApplicationFields, redirectsFault, type Typed } from './application-fields.tsx'

interface ChangeApplicationProps extends Opened {
  workspace: string
  application: Application
}

/** Changes an application, and disables it or enables it again. */
export const ChangeApplication = ({ workspace, application, isOpen, onClose }: ChangeApplicationProps) => {
  const { clientId, type } = application
  const [typed, setTyped] = useState<Typed>(() => typedOf(application))
  const [origins, setOrigins] = useState(application.origins.join('\n'))
  const [logouts, setLogouts] = useState(application.logoutUris.join('\n'))
  const [disabled, setDisabled] = useState(application.disabled)
  const update = useChange('updateApplication')
  const save = async () => {
    if (redirectsFault(typed.redirects, type) !== undefined) return
    await update.mutateAsync({
      params: { workspace, clientId },
      input: {
        name: typed.name,
        redirectUris: lines(typed.redirects),
        origins: lines(origins),
        logoutUris: lines(logouts),
        own: typed.own,
        disabled,
      },
    })
    onClose()
  }
  return (
    <Dialogue
      title={`Change ${application.name}`}
      isOpen={isOpen}
      onClose={onClose}
      submit="Save"
      onSubmit={save}
      fields={['name', 'redirectUris', 'origins', 'logoutUris']}
    >
      <Stack>
        <ApplicationFields type={type} value={typed} onChange={setTyped} error={update.error} />
        <Textarea
          label="Origins"
          description="Whose pages may query beside those of the redirect URIs, such as https://www.example.org; one on each line"
          autosize
          spellCheck={false}
          value={origins}
          onChange={event => setOrigins(event.currentTarget.value)}
          error={faultAt(update.error, 'origins')}
        />
        <Textarea
          label="Logout URIs"
          description="Where people may come back to after signing out, exactly; one on each line"
          autosize
          spellCheck={false}
          value={logouts}
          onChange={event => setLogouts(event.currentTarget.value)}
          error={faultAt(update.error, 'logoutUris')}
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
    </Dialogue>
  )
}

const typedOf = ({ name, redirectUris, own }: Application): Typed => ({
  name,
  redirects: redirectUris.join('\n'),
  own,
})
