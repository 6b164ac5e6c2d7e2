/** Settings > Workspace file: all that the workspace is, as the text that `querent apply` takes. */
import { Alert, Anchor, Button, Group, List, Modal, Stack, Text } from '@mantine/core'
import { ApiError } from '@querent/client'
import type { ErrorPlace } from '@querent/contract/errors'
import type { ApplyReply } from '@querent/contract/manage'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { management, reading, useChange } from '#api/manage.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import { TextLink } from '#ui/links.tsx'
import { Page } from '#ui/page.tsx'
import { Waiting } from '#ui/waiting.tsx'
import { Changes } from './changes.tsx'
import { goTo, markPlaces, openEditor, replaceText } from './editor.ts'
import { Leave } from './leave.tsx'
import { starter } from './starter.ts'

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
  const [initial] = useState(source)
  const [text, setText] = useState(source)
  const [applied, setApplied] = useState(source)
  const [outcome, setOutcome] = useState<ApplyReply>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const [removals, setRemovals] = useState<ApplyReply>()
  const apply = useChange('applyWorkspaceFile')
  const place = useRef<HTMLDivElement>(null)
  const editor = useRef<ReturnType<typeof openEditor>>(undefined)
  useEffect(() => {
    if (!place.current) return
    const opened = openEditor(place.current, { text: initial, label: 'Workspace file', onChange: setText })
    editor.current = opened
    return () => opened.destroy()
  }, [initial])
  const places = error instanceof ApiError ? error.errors.filter(({ line }) => line !== undefined) : []

  /** Tells what would become different, and marks what is wrong. */
  const attempt = async (work: () => Promise<ApplyReply | undefined>) => {
    setBusy(true)
    setError(undefined)
    setOutcome(undefined)
    try {
      if (editor.current) markPlaces(editor.current, [])
      setOutcome(await work())
    } catch (fault) {
      setError(fault)
      const wrong = fault instanceof ApiError ? fault.errors.filter(({ line }) => line !== undefined) : []
      if (editor.current) {
        markPlaces(editor.current, wrong)
        if (wrong[0]) goTo(editor.current, wrong[0])
      }
    } finally {
      setBusy(false)
    }
  }
  const compare = () => management.call('applyWorkspaceFile', { input: { source: text, dryRun: true } })
  const carryOut = async () => {
    const reply = await apply.mutateAsync({ input: { source: text } })
    setApplied(text)
    return reply
  }
  const applyText = () =>
    attempt(async () => {
      const planned = await compare()
      if (!planned.changes.some(({ change }) => change === 'remove')) return carryOut()
      setRemovals(planned)
      return undefined
    })
  const isEmpty = apis?.items.length === 0 && !/^(collections|apis):/m.test(text)
  return (
    <Stack gap="md">
      {isEmpty && (
        <Alert title="This workspace has no collection and no API yet" color="querent" variant="light">
          <Stack gap="sm" align="flex-start">
            <Text size="sm">
              Begin with a file that has one of each, and change it to fit your documents.
            </Text>
            <Button onClick={() => editor.current && replaceText(editor.current, starter(workspace, title))}>
              Use the starter file
            </Button>
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
      </Group>
      {error !== undefined && places.length === 0 && <ErrorNote error={error} />}
      {places.length > 0 && (
        <Places places={places} onChoose={chosen => editor.current && goTo(editor.current, chosen)} />
      )}
      {outcome && <Outcome workspace={workspace} outcome={outcome} />}
      <div ref={place} />
      <Leave isChanged={text !== applied} />
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

const Outcome = ({
  workspace,
  outcome: { workspace: named, dryRun, changes, warnings },
}: {
  workspace: string
  outcome: ApplyReply
}) => (
  <Alert
    color={dryRun ? 'querent' : 'green'}
    variant="light"
    role="status"
    title={titleOf(dryRun, changes.length)}
  >
    <Stack gap="sm">
      {named !== workspace && (
        <Text size="sm">
          The file names the workspace {named}, not {workspace}.
        </Text>
      )}
      <Changes changes={changes} />
      {warnings.map(({ path, message }) => (
        <Text key={`${path} ${message}`} size="sm">
          {path}: {message}
        </Text>
      ))}
      {!dryRun && (
        <Text size="sm">
          Next:{' '}
          <TextLink to="/w/$workspace/data" params={{ workspace: named }}>
            import documents
          </TextLink>
          , or{' '}
          <TextLink to="/w/$workspace/apis" params={{ workspace: named }}>
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
