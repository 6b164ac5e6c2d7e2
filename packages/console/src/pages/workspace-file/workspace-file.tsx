/** Settings > Workspace file: all that the workspace is, as the text that `querent apply` takes. */
import { Alert, Anchor, Button, Group, List, Modal, Stack, Text } from '@mantine/core'
import { ApiError } from '@querent/client'
import type { ErrorPlace } from '@querent/contract/errors'
import type { ApplyReply } from '@querent/contract/manage'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazy, useEffect, useRef, useState } from 'react'
import { management, reading, useChange } from '#api/manage.ts'
import { forgetRecovered, keepOverSignIn, recoveredText } from '#api/session.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import { Leave } from '#ui/leave.tsx'
import { TextLink } from '#ui/links.tsx'
import { OpensDialogue } from '#ui/opens-dialogue.tsx'
import { Page } from '#ui/page.tsx'
import { Waiting } from '#ui/waiting.tsx'
import { carriedTo, putDown } from './carried.ts'
import { Changes } from './changes.tsx'
import type { Editor } from './editor.ts'
import { namedIn, OtherWorkspace } from './other-workspace.tsx'
import { SourceField } from './source-field.tsx'
import { starter } from './starter.ts'

const Help = lazy(async () => ({ default: (await import('./help.tsx')).Help }))

export const WorkspaceFile = () => {
  const { workspace } = useParams({ from: '/signed-in/w/$workspace/settings/workspace-file' })
  const { data, error } = useQuery({
    ...reading('exportWorkspaceFile', { params: { workspace } }),
    // The editor begins with what holds now.
    gcTime: 0,
  })
  return (
    <Page
      title="Workspace file"
      about="Collections, APIs, members and settings, as text. The command querent apply takes the same file."
    >
      {data && <Form key={workspace} workspace={workspace} source={data.source} />}
      {error && <ErrorNote error={error} />}
      {!data && !error && <Waiting />}
    </Page>
  )
}

const Form = ({ workspace, source }: { workspace: string; source: string }) => {
  const { data: workspaces } = useSuspenseQuery(reading('listWorkspaces', {}))
  const { data: apis } = useQuery(reading('listApis', { params: { workspace } }))
  const title = workspaces.items.find(item => item.workspace === workspace)?.title ?? workspace
  // What is being typed stays when the workspace is read anew.
  const [text, setText] = useState(carriedTo(workspace) ?? recoveredText() ?? source)
  const [applied, setApplied] = useState(source)
  const [outcome, setOutcome] = useState<ApplyReply>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const [removals, setRemovals] = useState<ApplyReply>()
  const apply = useChange('applyWorkspaceFile')
  const [other, setOther] = useState<ApplyReply>()
  const editor = useRef<Editor>(undefined)
  useEffect(putDown, [])
  useEffect(forgetRecovered, [])
  useEffect(() => keepOverSignIn(() => (text === applied ? undefined : text)), [text, applied])
  const places = error instanceof ApiError ? error.errors.filter(({ line }) => line !== undefined) : []

  /** Tells what would become different, and marks what is wrong. */
  const attempt = async (work: () => Promise<ApplyReply | undefined>) => {
    setBusy(true)
    setError(undefined)
    setOutcome(undefined)
    try {
      editor.current?.mark([])
      setOutcome(await work())
    } catch (fault) {
      setError(fault)
      const wrong = fault instanceof ApiError ? fault.errors.filter(({ line }) => line !== undefined) : []
      editor.current?.mark(wrong)
      if (wrong[0]) editor.current?.goTo(wrong[0])
    } finally {
      setBusy(false)
    }
  }
  /** What would change in this workspace; undefined: the file is of another, which is said. */
  const compare = async () => {
    const planned = await management.call('applyWorkspaceFile', { input: { source: text, dryRun: true } })
    if (planned.workspace === workspace) return planned
    setOther(planned)
    return undefined
  }
  const carryOut = async () => {
    const reply = await apply.mutateAsync({ input: { source: text } })
    setApplied(text)
    return reply
  }
  const applyText = () =>
    attempt(async () => {
      const planned = await compare()
      if (!planned) return undefined
      if (!planned.changes.some(({ change }) => change === 'remove')) return carryOut()
      setRemovals(planned)
      return undefined
    })
  const named = namedIn(text)
  const begin = () => {
    const file = starter(workspace, title)
    if (editor.current) editor.current.replace(file)
    else setText(file)
  }
  const isEmpty = apis?.items.length === 0 && !/^(collections|apis):/m.test(text)
  return (
    <Stack gap="md">
      {isEmpty && (
        <Alert title="This workspace has no collection and no API yet" color="querent" variant="light">
          <Stack gap="sm" align="flex-start">
            <Text size="sm">
              Begin with a file that has one of each, and change it to fit your documents.
            </Text>
            <Button onClick={begin}>Use the starter file</Button>
          </Stack>
        </Alert>
      )}
      <Group>
        <Button onClick={applyText} loading={isBusy}>
          Apply
        </Button>
        <Button variant="default" disabled={isBusy} onClick={() => attempt(compare)}>
          Show what changes
        </Button>
        <OpensDialogue label="Types and kinds" variant="subtle">
          {opened => <Help {...opened} />}
        </OpensDialogue>
      </Group>
      {error !== undefined && places.length === 0 && <ErrorNote error={error} />}
      {error instanceof ApiError && error.status === 403 && named !== undefined && named !== workspace && (
        <Alert color="yellow" role="status">
          The file names the workspace {named}, and {workspace} is open: nothing was changed in either.
        </Alert>
      )}
      {places.length > 0 && <Places places={places} onChoose={chosen => editor.current?.goTo(chosen)} />}
      {outcome && <Outcome outcome={outcome} />}
      <SourceField text={text} onChange={setText} editor={editor} />
      <Leave asks={text !== applied} question="Leave without applying?">
        What you changed in the workspace file is not applied, and is lost.
      </Leave>
      <OtherWorkspace workspace={workspace} text={text} planned={other} onClose={() => setOther(undefined)} />
      <Modal
        opened={removals !== undefined}
        onClose={() => setRemovals(undefined)}
        title="Remove what the file leaves out?"
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack>
          <Text>The documents of a collection that is removed are gone for good.</Text>
          <Changes changes={removals?.changes ?? []} />
          <Group justify="flex-end">
            <Button variant="default" data-autofocus onClick={() => setRemovals(undefined)}>
              Cancel
            </Button>
            <Button
              color="red"
              onClick={() => {
                setRemovals(undefined)
                attempt(carryOut)
              }}
            >
              Remove and apply
            </Button>
          </Group>
        </Stack>
      </Modal>
    </Stack>
  )
}

const Places = ({
  places,
  onChoose,
}: {
  places: readonly ErrorPlace[]
  onChoose: (place: ErrorPlace) => void
}) => (
  <Alert color="red" variant="light" role="alert" title="The file cannot be applied; nothing was changed">
    <List size="sm">
      {places.map(place => (
        <List.Item key={`${place.line} ${place.column} ${place.message}`}>
          <Anchor component="button" type="button" size="sm" ta="left" onClick={() => onChoose(place)}>
            line {place.line}, column {place.column}
          </Anchor>
          : {place.message}
        </List.Item>
      ))}
    </List>
  </Alert>
)

const Outcome = ({ outcome: { workspace, dryRun, changes, warnings } }: { outcome: ApplyReply }) => (
  <Alert
    color={dryRun ? 'querent' : 'green'}
    variant="light"
    role="status"
    title={titleOf(dryRun, changes.length)}
  >
    <Stack gap="sm">
      <Changes changes={changes} />
      {warnings.map(({ path, message }) => (
        <Text key={`${path} ${message}`} size="sm">
          {path}: {message}
        </Text>
      ))}
      {!dryRun && (
        <Text size="sm">
          Next:{' '}
          <TextLink to="/w/$workspace/data" params={{ workspace }}>
            import documents
          </TextLink>
          , or{' '}
          <TextLink to="/w/$workspace/apis" params={{ workspace }}>
            try the APIs
          </TextLink>
          .
        </Text>
      )}
    </Stack>
  </Alert>
)

const titleOf = (dryRun: boolean, changes: number): string => {
  if (changes === 0) return 'Nothing changes: the workspace is as the file says'
  return dryRun ? 'Applying would change this' : 'Applied'
}
