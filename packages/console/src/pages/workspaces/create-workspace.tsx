import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { management, useOperation } from '#api/manage.ts'
import { FormDialog } from '#ui/form-dialog.tsx'

/** A name as addresses hold it (workspace-file.md: a-z 0-9 -, 1 to 63 characters). */
const toSlug = (title: string): string =>
  title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 63)

/** Makes an empty workspace; who makes it becomes its administrator. For operators. */
export const CreateWorkspace = () => {
  const [isOpen, setOpen] = useState(false)
  const [title, setTitle] = useState('')
  const [slug, setSlug] = useState<string>()
  const [takenName, setTakenName] = useState<string>()
  const navigate = useNavigate()
  const apply = useOperation('applyWorkspaceFile')
  const name = slug ?? toSlug(title)
  const send = async () => {
    // Applied to one that there is, the file would empty it. Operators see all.
    const { items } = await management.call('listWorkspaces', {})
    if (items.some(({ workspace }) => workspace === name)) return setTakenName(name)
    // A text in JSON is one in YAML too.
    const source = `workspace: ${name}\ntitle: ${JSON.stringify(title)}\n`
    await apply.mutateAsync({ input: { source, onlyNew: true } })
    setOpen(false)
    return navigate({ to: '/w/$workspace', params: { workspace: name } })
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>Make a workspace</Button>
      <FormDialog
        title="Make a workspace"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit="Make"
        onSubmit={send}
      >
        <Stack>
          <TextInput
            label="Title"
            required
            data-autofocus
            value={title}
            onChange={event => setTitle(event.currentTarget.value)}
          />
          <TextInput
            label="Name in addresses"
            description="a-z 0-9 - , up to 63 characters; it stays"
            required
            pattern="[a-z0-9\-]{1,63}"
            value={name}
            error={name !== '' && name === takenName ? `There is a workspace ${name} already` : undefined}
            onChange={event => setSlug(event.currentTarget.value)}
          />
          <Text size="sm" c="dimmed">
            You become its administrator. It begins empty: what it holds is described next.
          </Text>
        </Stack>
      </FormDialog>
    </>
  )
}
