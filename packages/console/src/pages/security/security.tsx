/** Settings > Security: token lifetime, allowed origins, deletion of the workspace. */
import { Button, Group, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import { readDuration } from '@querent/contract/duration'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { readOperation, useOperation } from '#api/manage.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import { fieldFault } from '#ui/faults.ts'
import { Page } from '#ui/page.tsx'
import { DeleteWorkspace } from './delete-workspace.tsx'

const isLifetime = (minutes: string): boolean => Number(minutes) >= 1 && Number(minutes) <= 1440

export const Security = () => {
  const { workspace } = useParams({ from: '/signed-in/w/$workspace/settings/security' })
  const { data } = useSuspenseQuery(readOperation('getSettings', { params: { workspace } }))
  const [minutes, setMinutes] = useState(String((readDuration(data.accessTokenLifetime) ?? 0) / 60))
  const [isChecked, setChecked] = useState(false)
  const [origins, setOrigins] = useState(data.origins)
  const update = useOperation('updateSettings')
  const save = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (!isLifetime(minutes)) return
    const accessTokenLifetime = `${Math.round(Number(minutes) * 60)}s`
    update.mutate({ params: { workspace }, input: { accessTokenLifetime, origins } })
  }
  return (
    <Page title="Security" description="Token lifetime and allowed origins of this workspace.">
      <form onSubmit={save}>
        <Stack maw={560}>
          <TextInput
            label="Access token lifetime (minutes)"
            description="From 1 minute to 24 hours. Removed members lose access immediately."
            inputMode="decimal"
            required
            value={minutes}
            onChange={event => {
              update.reset()
              setMinutes(event.currentTarget.value)
            }}
            error={
              isChecked && !isLifetime(minutes)
                ? 'Type a number from 1 to 1440'
                : fieldFault(update.error, 'accessTokenLifetime')
            }
          />
          <TagsInput
            label="Additional allowed origins (CORS)"
            description="For example https://www.example.org. Origins of registered applications are already allowed."
            value={origins}
            onChange={changed => {
              update.reset()
              setOrigins(changed)
            }}
            error={fieldFault(update.error, 'origins')}
          />
          {update.error && <ErrorNote error={update.error} fields={['accessTokenLifetime', 'origins']} />}
          {update.isSuccess && isLifetime(minutes) && (
            <Text role="status">Saved. Takes effect with the next token and the next request.</Text>
          )}
          <Group>
            <Button type="submit" loading={update.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
      <DeleteWorkspace workspace={workspace} />
    </Page>
  )
}
