import { Alert, Button, Checkbox, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { redirectUriProblem } from '@querent/contract/redirect-uri'
import { useState } from 'react'
import { useChange } from '#api/manage.ts'
import { CopyValue } from '#ui/copy-value.tsx'
import { Dialogue } from '#ui/dialogue.tsx'
import { faultAt } from '#ui/faults.ts'
import { Snippet } from './snippet.tsx'

const types = [
  { value: 'browser', label: 'Page in a browser' },
  { value: 'server', label: 'Server' },
  { value: 'native', label: 'Phone, desktop' },
] as const
type Type = (typeof types)[number]['value']

const lines = (text: string): string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')

/** Registers an application; its redirect URIs are checked as they are typed. */
export const RegisterApplication = ({ workspace }: { workspace: string }) => {
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState('')
  const [type, setType] = useState<Type>('browser')
  const [redirects, setRedirects] = useState('')
  const [own, setOwn] = useState(false)
  const create = useChange('createApplication')
  const made = create.data
  const redirectUris = lines(redirects)
  const bad = redirectUris
    .map(uri => ({ uri, allowed: redirectUriProblem(uri, type === 'native') }))
    .find(({ allowed }) => allowed !== undefined)
  const fault = bad && `${bad.uri}: ${bad.allowed}`
  const open = () => {
    setName('')
    setType('browser')
    setRedirects('')
    setOwn(false)
    create.reset()
    setOpen(true)
  }
  const send = async () => {
    if (made) return setOpen(false)
    if (fault === undefined)
      await create.mutateAsync({ params: { workspace }, input: { name, type, redirectUris, own } })
  }
  return (
    <>
      <Button onClick={open}>Register an application</Button>
      <Dialogue
        title={made ? made.name : 'Register an application'}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={made ? 'Done' : 'Register'}
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
            <Snippet application={made} />
          </Stack>
        ) : (
          <Stack>
            <TextInput
              label="Name"
              description="What the consent page shows"
              required
              data-autofocus
              value={name}
              onChange={event => setName(event.currentTarget.value)}
              error={faultAt(create.error, 'name')}
            />
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
            <Textarea
              label="Redirect URIs"
              description="Where people come back to after signing in, exactly; one on each line"
              placeholder="https://app.example.org/callback"
              required
              autosize
              minRows={2}
              spellCheck={false}
              value={redirects}
              onChange={event => setRedirects(event.currentTarget.value)}
              error={fault ?? faultAt(create.error, 'redirectUris')}
            />
            <Checkbox
              label="It is the workspace's own: people are not asked for their consent"
              checked={own}
              onChange={event => setOwn(event.currentTarget.checked)}
            />
          </Stack>
        )}
      </Dialogue>
    </>
  )
}
