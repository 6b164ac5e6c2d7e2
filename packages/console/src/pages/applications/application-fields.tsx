import { Checkbox, Textarea, TextInput } from '@mantine/core'
import { redirectUriProblem } from '@querent/contract/client-uris'
import { describeNotAllowed } from '@querent/contract/fault-texts'
import type { Application } from '@querent/contract/manage'
import type { ReactNode } from 'react'
import { t, translateFault } from '#i18n/translate.ts'
import { fieldFault } from '#ui/faults.ts'
import { lines } from '#ui/lines.ts'

/** Input to register or edit an application. */
export interface ApplicationInput {
  name: string
  /** One URI per line. */
  redirects: string
  own: boolean
}

/** Returns the first error of the redirect URIs, or undefined. The server knows which schemes its operator allows. */
export const findRedirectFault = (redirects: string, type: Application['type']): string | undefined =>
  lines(redirects).flatMap(uri => {
    const allowed = redirectUriProblem(uri, { isNative: type === 'native', nativeSchemes: 'any' })
    return allowed ? [translateFault(describeNotAllowed(`"${uri}"`, allowed))] : []
  })[0]

interface ApplicationFieldsProps {
  type: Application['type']
  value: ApplicationInput
  onChange: (value: ApplicationInput) => void
  /** Error of the last request. */
  error: unknown
  /** Between the name and the redirect URIs. */
  children?: ReactNode
}

/** Fields of an application; its redirect URIs are checked as they are typed. */
export const ApplicationFields = ({ type, value, onChange, error, children }: ApplicationFieldsProps) => (
  <>
    <TextInput
      label={t('Name')}
      description={t('Shown on the consent page')}
      required
      data-autofocus
      value={value.name}
      onChange={event => onChange({ ...value, name: event.currentTarget.value })}
      error={fieldFault(error, 'name')}
    />
    {children}
    <Textarea
      label={t('Redirect URIs')}
      description={t('Allowed callback URLs, one per line. Must match exactly.')}
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
      label={t('First-party application: skip the consent page')}
      checked={value.own}
      onChange={event => onChange({ ...value, own: event.currentTarget.checked })}
    />
  </>
)
