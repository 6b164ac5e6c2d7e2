import { Alert, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '#api/manage.ts'
import { CopyValue } from '#ui/copy-value.tsx'
import { Dialogue } from '#ui/dialog.tsx'
import type { Opened } from '#ui/dialog-button.tsx'
import { lines } from '#ui/lines.ts'
import { keptLabel } from '#ui/new-secret.tsx'
import { ApplicationFields, redirectsFault, type Typed } from './application-fields.tsx'
import { Snippet } from './snippet.tsx'

const types = [
  { value: 'browser', label: 'Page in a browser' },
  { value: 'server', label: 'Server' },
  { value: 'native', label: 'Phone, desktop' },
] as const
type Type = (typeof types)[number]['value']

const nothing: Typed = { name: '', redirects: '', own: false }

/** Registers an application; its redirect URIs are checked as they are typed. */
export const RegisterApplication = ({ workspace, isOpen, onClose }: Opened & { workspace: string }) => {
  const [type, setType] = useState<Type>('browser')
  const [typed, setTyped] = useState<Typed>(nothing)
  const create = useChange('createApplication')
  const made = create.data
  const send = async () => {
    if (made) return onClose()
    if (redirectsFault(typed.redirects, type) !== undefined) return undefined
    const { name, redirects, own } = typed
    return create.mutateAsync({
      params: { workspace },
      input: { name, type, redirectUris: lines(redirects), own },
    })
  }
  return (
    <Dialogue
      title={made ? made.name : 'Register an application'}
      isOpen={isOpen}
      onClose={onClose}
      submit={made ? (made.clientSecret === undefined ? 'Done' : keptLabel) : 'Register'}
      onSubmit={send}
      fields={['name', 'redirectUris']}
      isDone={made !== undefined}
    >
      {made ? (
        <Stack>
          <CopyValue label="Client ID" value={made.clientId} />
          {made.clientSecret !== undefined && (
            <>
              <Alert color="yellow" title="The Client Secret is shown this once" />
              <CopyValue label="Client Secret" value={made.clientSecret} />
            </>
          )}
          <Snippet workspace={workspace} application={made} />
        </Stack>
      ) : (
        <Stack>
          <ApplicationFields type={type} value={typed} onChange={setTyped} error={create.error}>
            <Stack gap={4}>
              <Text size="sm" fw={500} id="application-type">
                Type
              </Text>
              <SegmentedControl
                aria-labelledby="application-type"
                data={[...types]}
                value={type}
                // Only offered ones can be chosen.
                onChange={value =>
                  setType(types.find(offered => offered.value === value)?.value ?? 'browser')
                }
              />
            </Stack>
          </ApplicationFields>
        </Stack>
      )}
    </Dialogue>
  )
}
