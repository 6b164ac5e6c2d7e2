import { Checkbox, Textarea, TextInput } from '@mantine/core'
import { redirectUriProblem } from '@querent/contract/client-uris'
import type { Application } from '@querent/contract/manage'
import type { ReactNode } from 'react'
import { fieldFault } from '#ui/faults.ts'
import { lines } from '#ui/lines.ts'

/** What is typed to register an application, and to change it. */
export interface ApplicationInput {
  name: string
  /** One URI on each line. */
  redirects: string
  own: boolean
}

/** What is wrong with the redirect URIs, in words; undefined: nothing. */
export const findRedirectFault = (redirects: string, type: Application['type']): string | undefined =>
  lines(redirects)
    .map(uri => ({ uri, allowed: redirectUriProblem(uri, type === 'native') }))
    .filter(({ allowed }) => allowed !== undefined)
    .map(({ uri, allowed }) => `${uri}: ${allowed}`)[0]

interface ApplicationFieldsProps {
  type: Application['type']
  value: ApplicationInput
  onChange: (value: ApplicationInput) => void
  /** What the server said. */
  error: unknown
  /** Between the name and the redirect URIs. */
  children?: ReactNode
}

/** Fields of an application; its redirect URIs are checked as they are typed. */
export const ApplicationFields = ({ type, value, onChange, error, children }: ApplicationFieldsProps) => (
  <>
    <TextInput
      label="Name"
      description="What the consent page shows"
      required
      data-autofocus
      value={value.name}
      onChange={event => onChange({ ...value, name: event.currentTarget.value })}
      error={fieldFault(error, 'name')}
    />
    {children}
    <Textarea
      label="Redirect URIs"
      description="Where people come back to after signing in, exactly; one on each line"
      placeholder="https://app.example.org/callback"
      required
      autosize
      minRows={2}
      spellCheck={false}
      value={value.redirects}
      onChange={event => onChange({ ...value, redirects: event.currentTarget.value })}
      error={findRedirectFault(value.redirects, type) ?? fieldFault(error, 'redirectUris')}
    />
    <Checkbox
      label="It is the workspace's own: people are not asked for their consent"
      checked={value.own}
      onChange={event => onChange({ ...value, own: event.currentTarget.checked })}
    />
  </>
)
