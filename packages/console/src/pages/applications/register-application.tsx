import { Alert, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { CopyValue } from '#ui/copy-value.tsx'
import type { DialogState } from '#ui/dialog-button.tsx'
import { FormDialog } from '#ui/form-dialog.tsx'
import { lines } from '#ui/lines.ts'
import { savedLabel } from '#ui/new-secret.tsx'
import { ApplicationFields, type ApplicationInput, findRedirectFault } from './application-fields.tsx'
import { applicationTypes } from './application-types.ts'
import { Snippet } from './snippet.tsx'

type Type = (typeof applicationTypes)[number]['value']

const emptyInput: ApplicationInput = { name: '', redirects: '', own: false }

/** Registers an application. Checks the redirect URIs while the person types. */
export const RegisterApplication = ({ workspace, isOpen, onClose }: DialogState & { workspace: string }) => {
  const [type, setType] = useState<Type>('browser')
  const [input, setInput] = useState<ApplicationInput>(emptyInput)
  const create = useOperation('createApplication')
  const created = create.data
  const send = async () => {
    if (created) return onClose()
    if (findRedirectFault(input.redirects, type) !== undefined) return undefined
    const { redirects, own } = input
    // The workspace file has no names with blanks at their ends.
    const name = input.name.trim()
    return create.mutateAsync({
      params: { workspace },
      input: { name, type, redirectUris: lines(redirects), own },
    })
  }
  return (
    <FormDialog
      title={created ? created.name : t('Register application')}
      isOpen={isOpen}
      onClose={onClose}
      submit={created ? (created.clientSecret === undefined ? t('Done') : savedLabel) : t('Register')}
      onSubmit={send}
      fields={['name', 'redirectUris']}
      isDone={created !== undefined}
    >
      {created ? (
        <Stack>
          <CopyValue label={t('Client ID')} value={created.clientId} />
          {created.clientSecret !== undefined && (
            <>
              <Alert color="yellow" title={t('Copy the Client Secret now')}>
                {t("You won't see it again. If you lose it, register the application again.")}
              </Alert>
              <CopyValue label={t('Client Secret')} value={created.clientSecret} />
            </>
          )}
          <Snippet workspace={workspace} application={created} />
        </Stack>
      ) : (
        <Stack>
          <ApplicationFields type={type} value={input} onChange={setInput} error={create.error}>
            <Stack gap={4}>
              <Text size="sm" fw={500} id="application-type">
                {t('Type')}
              </Text>
              <SegmentedControl
                aria-labelledby="application-type"
                className="choices"
                data={[...applicationTypes]}
                value={type}
                // Only offered ones can be chosen.
                onChange={value =>
                  setType(applicationTypes.find(offered => offered.value === value)?.value ?? 'browser')
                }
              />
            </Stack>
          </ApplicationFields>
        </Stack>
      )}
    </FormDialog>
  )
}
