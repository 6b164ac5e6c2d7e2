/** Form for `branding` of the workspace file, beside a preview. */
import { Button, Flex, Group, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core'
import { type Branding, brandUrlProblem } from '@querent/contract/branding'
import type { WorkspaceEdit } from '@querent/contract/edit-workspace-text'
import { type FormEvent, lazy, Suspense, useRef, useState } from 'react'
import type { WorkspaceFileContent, WorkspaceFileEdit } from '#api/workspace-file-edit.ts'
import { t } from '#i18n/translate.ts'
import { EditError, listFaults } from '#ui/edit-error.tsx'
import { FileLink } from '#ui/file-link.tsx'
import { SaveGuard } from '#ui/unsaved-changes.tsx'
import { useAttempt, useFocusOnFault } from '#ui/use-attempt.ts'
import { ColorField, isColor } from './color-field.tsx'
import { SignInPageLink } from './sign-in-page-link.tsx'

const BrandingPreview = lazy(async () => ({
  default: (await import('./branding-preview.tsx')).BrandingPreview,
}))
const ColorCorrections = lazy(async () => ({
  default: (await import('./color-corrections.tsx')).ColorCorrections,
}))

const keys = ['name', 'logo', 'color', 'termsUrl', 'privacyUrl'] as const satisfies (keyof Branding)[]
type Values = Record<(typeof keys)[number], string>

interface BrandingFormProps {
  workspace: string
  edit: WorkspaceFileEdit
  content: WorkspaceFileContent
  /** Whether the form is shown: the preview loads after it. */
  isMounted: boolean
}

export const BrandingForm = ({ workspace, edit, content, isMounted }: BrandingFormProps) => {
  const { branding, title = workspace } = content.file
  // Only what the person typed: other values stay those of the file, also when it changes.
  const [typed, setTyped] = useState<Partial<Values>>({})
  const [base, setBase] = useState<string>()
  const { isBusy, error, attempt, clearError } = useAttempt()
  const [isSaved, setSaved] = useState(false)
  // Faults of addresses appear when the person saves: until then an address is not complete.
  const [failedChecks, setFailedChecks] = useState(0)
  const form = useRef<HTMLFormElement>(null)
  useFocusOnFault(form, error, failedChecks)
  const saved = readValues(branding)
  const values = { ...saved, ...typed }
  const changedKeys = keys.filter(key => values[key].trim() !== saved[key])
  const change = (key: keyof Values) => (text: string) => {
    setTyped({ ...typed, [key]: text })
    setBase(base ?? content.source)
    setSaved(false)
    clearError()
  }
  const reset = () => {
    setTyped({})
    setBase(undefined)
    setFailedChecks(0)
    clearError()
  }
  const save = (event: FormEvent) => {
    event.preventDefault()
    if (!isColorOrEmpty(values.color) || urlKeys.some(key => urlFault(values[key]) !== undefined)) {
      setFailedChecks(failedChecks + 1)
      return
    }
    void attempt(async () => {
      await edit.apply(await edit.plan(writeEdits(values, changedKeys), base))
      reset()
      setSaved(true)
    })
  }
  const shownMessages = new Set<string>()
  const findFault = (key: keyof Values): string | undefined => {
    const faults = listFaults(error, ['branding'], key)
    for (const message of faults) shownMessages.add(message)
    return faults.join('; ') || undefined
  }
  const urlField = (key: (typeof urlKeys)[number], label: string, description: string) => (
    <TextInput
      label={label}
      description={description}
      placeholder="https://"
      inputMode="url"
      spellCheck={false}
      maxLength={2048}
      value={values[key]}
      onChange={event => change(key)(event.currentTarget.value)}
      error={(failedChecks > 0 && urlFault(values[key])) || findFault(key)}
    />
  )
  return (
    <Stack gap="md" component="section" aria-label={t('Branding')}>
      <Title order={2} size="h4">
        {t('Branding')}
      </Title>
      <Flex gap="xl" align="flex-start" wrap="wrap">
        <form onSubmit={save} ref={form} noValidate style={{ flex: '1 1 18rem', minWidth: 0 }}>
          <Stack>
            <TextInput
              label={t('Name')}
              description={t('At the top of the pages. Empty: {name}.', {
                name: defaultName(title, { ...values, name: '' }),
              })}
              maxLength={200}
              value={values.name}
              onChange={event => change('name')(event.currentTarget.value)}
              error={findFault('name')}
            />
            {urlField('logo', t('Logo URL'), t('Shown instead of the name, at most 256 × 64 pixels.'))}
            <ColorField value={values.color} onChange={change('color')} error={findFault('color')}>
              {isMounted && isColor(values.color) && (
                <Suspense>
                  <ColorCorrections color={values.color.trim()} />
                </Suspense>
              )}
            </ColorField>
            {urlField('termsUrl', t('Terms of use URL'), t('Linked at the bottom of the pages.'))}
            {urlField('privacyUrl', t('Privacy statement URL'), t('Linked at the bottom of the pages.'))}
            {error !== undefined && (
              <EditError
                workspace={workspace}
                error={error}
                shown={shownMessages}
                title={t('This cannot be saved')}
              />
            )}
            {isSaved && (
              <Text role="status">{t('Saved. The next page that somebody opens looks like this.')}</Text>
            )}
            <Group justify="space-between">
              <Group gap="sm">
                <Button type="submit" loading={isBusy} disabled={changedKeys.length === 0}>
                  {t('Save')}
                </Button>
                {changedKeys.length > 0 && (
                  <Button variant="default" disabled={isBusy} onClick={reset}>
                    {t('Cancel')}
                  </Button>
                )}
              </Group>
              <FileLink workspace={workspace} path={['branding']} />
            </Group>
          </Stack>
        </form>
        <Preview workspace={workspace} title={title} values={values} isMounted={isMounted} />
      </Flex>
      <SaveGuard isBlocking={changedKeys.length > 0 && !isBusy} />
    </Stack>
  )
}

interface PreviewProps {
  workspace: string
  /** Title of the workspace. */
  title: string
  values: Values
  isMounted: boolean
}

const Preview = ({ workspace, title, values, isMounted }: PreviewProps) => (
  <Stack gap="sm" style={{ flex: '1.6 1 22rem', minWidth: 0 }}>
    {isMounted ? (
      <Suspense fallback={<Skeleton h={420} />}>
        <BrandingPreview
          values={values}
          name={values.name.trim() || defaultName(title, values)}
          application={title}
        />
      </Suspense>
    ) : (
      <Skeleton h={420} />
    )}
    <SignInPageLink workspace={workspace} />
  </Stack>
)

/** At the top of the pages without a name: as the server chooses it (oauth/pages/page.ts). */
const defaultName = (title: string, values: Values): string =>
  keys.some(key => values[key].trim() !== '') ? title : 'Querent'

const urlKeys = ['logo', 'termsUrl', 'privacyUrl'] as const

const urlFault = (text: string): string | undefined =>
  text.trim() === '' || brandUrlProblem(text.trim()) === undefined
    ? undefined
    : t('Type an address that starts with https://, without spaces, quotes, commas and semicolons.')

const isColorOrEmpty = (color: string): boolean => color.trim() === '' || isColor(color)

const readValues = (branding: Branding | null | undefined): Values => ({
  name: branding?.name ?? '',
  logo: branding?.logo ?? '',
  color: branding?.color ?? '',
  termsUrl: branding?.termsUrl ?? '',
  privacyUrl: branding?.privacyUrl ?? '',
})

/** Removes the whole part with its last value. */
const writeEdits = (values: Values, changedKeys: readonly (keyof Values)[]): WorkspaceEdit[] =>
  keys.every(key => values[key].trim() === '')
    ? [{ path: ['branding'], value: undefined }]
    : changedKeys.map(key => ({ path: ['branding', key], value: values[key].trim() || undefined }))
