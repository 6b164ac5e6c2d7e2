/** Settings > General: name, description and generations of a workspace; deletion. */
import { Button, Group, NumberInput, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { readOperation, useOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import { fieldFault } from '#ui/faults.ts'
import { Page } from '#ui/page.tsx'
import { DeleteWorkspace } from './delete-workspace.tsx'

const fields = ['title', 'description', 'keepGenerations']
const generationsMax = 100

export const General = () => {
  const { workspace } = useParams({ from: '/signed-in/w/$workspace/settings/general' })
  const { data } = useSuspenseQuery(readOperation('getSettings', { params: { workspace } }))
  const [title, setTitle] = useState(data.title)
  const [description, setDescription] = useState(data.description)
  const [keepGenerations, setKeepGenerations] = useState(String(data.keepGenerations))
  const update = useOperation('updateSettings')
  const save = (event: FormEvent) => {
    event.preventDefault()
    update.mutate({
      params: { workspace },
      input: { title, description: description.trim(), keepGenerations: Number(keepGenerations) },
    })
  }
  const change = (set: (value: string) => void, value: string) => {
    update.reset()
    set(value)
  }
  return (
    <Page
      title={t('General')}
      description={t('Name and description of this workspace. The workspace file has the same values.')}
    >
      <form onSubmit={save}>
        <Stack maw={560}>
          <TextInput
            label={t('Title')}
            required
            maxLength={200}
            value={title}
            onChange={event => change(setTitle, event.currentTarget.value)}
            error={fieldFault(update.error, 'title')}
          />
          <TextInput
            label={t('URL name')}
            description={t("It is part of every address, so it can't be changed.")}
            readOnly
            value={workspace}
          />
          <Textarea
            label={t('Description')}
            description={t('What people find here. Members see it on the overview.')}
            autosize
            minRows={2}
            maxRows={8}
            maxLength={1000}
            value={description}
            onChange={event => change(setDescription, event.currentTarget.value)}
            error={fieldFault(update.error, 'description')}
          />
          <NumberInput
            label={t('Earlier generations to keep')}
            description={t(
              'For each collection, besides the live generation and the one before it. You can switch back to a kept one.',
            )}
            required
            min={0}
            max={generationsMax}
            clampBehavior="strict"
            allowDecimal={false}
            hideControls
            value={keepGenerations}
            onChange={value => change(setKeepGenerations, String(value))}
            error={fieldFault(update.error, 'keepGenerations')}
          />
          {update.error && <ErrorNote error={update.error} fields={fields} />}
          {update.isSuccess && <Text role="status">{t('Saved.')}</Text>}
          <Group>
            <Button type="submit" loading={update.isPending}>
              {t('Save')}
            </Button>
          </Group>
        </Stack>
      </form>
      <DeleteWorkspace workspace={workspace} />
    </Page>
  )
}
