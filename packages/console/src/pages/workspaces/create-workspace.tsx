import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { management, useOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { FormDialog } from '#ui/form-dialog.tsx'
import { toUrlName } from '#ui/url-name.ts'

/** Creates an empty workspace and makes the person its administrator. For operators. */
export const CreateWorkspace = () => {
  const [isOpen, setOpen] = useState(false)
  const [title, setTitle] = useState('')
  const [slug, setSlug] = useState<string>()
  const [takenName, setTakenName] = useState<string>()
  const navigate = useNavigate()
  const apply = useOperation('applyWorkspaceFile')
  const name = slug ?? toUrlName(title)
  const send = async () => {
    // Applying this file to an existing workspace would empty it. Operators see all workspaces.
    const { items } = await management.call('listWorkspaces', {})
    if (items.some(({ workspace }) => workspace === name)) return setTakenName(name)
    // A JSON string is also a YAML string.
    const source = `workspace: ${name}\ntitle: ${JSON.stringify(title)}\n`
    await apply.mutateAsync({ input: { source, onlyNew: true } })
    setOpen(false)
    return navigate({ to: '/w/$workspace', params: { workspace: name } })
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t('Create workspace')}</Button>
      <FormDialog
        title={t('Create workspace')}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={t('Create')}
        onSubmit={send}
      >
        <Stack>
          <TextInput
            label={t('Title')}
            required
            data-autofocus
            value={title}
            onChange={event => setTitle(event.currentTarget.value)}
          />
          <TextInput
            label={t('URL name')}
            description={t("Lower-case letters, digits and hyphens. It can't be changed later.")}
            required
            pattern="[a-z0-9\-]{1,63}"
            value={name}
            error={
              name !== '' && name === takenName
                ? t('The workspace {name} already exists', { name })
                : undefined
            }
            onChange={event => setSlug(event.currentTarget.value)}
          />
          <Text size="sm" c="dimmed">
            {t("You'll be its administrator. Next, add a collection.")}
          </Text>
        </Stack>
      </FormDialog>
    </>
  )
}
