/** Settings > Workspace file: the workspace as the text that `querent apply` takes. */

import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { ApiError } from '@querent/client'
import type { ErrorPlace } from '@querent/contract/errors'
import type { ApplyReply } from '@querent/contract/manage'
import { type WorkspaceTemplate, workspaceTemplates } from '@querent/contract/templates'
import type { Path } from '@querent/contract/workspace-source'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useLayoutEffect, useRef, useState } from 'react'
import type { FileBase } from '#api/file-base.ts'
import { management, readOperation } from '#api/manage.ts'
import { t, tNodes } from '#i18n/translate.ts'
import { CopyValue } from '#ui/copy-value.tsx'
import { DialogButton } from '#ui/dialog-button.tsx'
import { readDocumentLoss } from '#ui/document-loss.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import { ButtonLink, TextLink } from '#ui/links.tsx'
import { Loading } from '#ui/loading.tsx'
import { Page } from '#ui/page.tsx'
import { LeaveGuard } from '#ui/unsaved-changes.tsx'
import { Warnings } from '#ui/warnings.tsx'
import { CheckSummary, PlaceList } from './check-summary.tsx'
import type { Editor } from './editor.ts'
import { type ChosenFile, ChosenFileNote, FileActions } from './file-actions.tsx'
import { OtherWorkspace, scanName } from './other-workspace.tsx'
import type { Removal } from './removal-dialog.tsx'
import { SourceField } from './source-field.tsx'
import { listPlaces } from './use-attempts.ts'
import { useFileText } from './use-file-text.ts'

const Changes = lazy(async () => ({ default: (await import('#ui/changes.tsx')).Changes }))
const ChangedMeanwhile = lazy(async () => ({
  default: (await import('./changed-meanwhile.tsx')).ChangedMeanwhile,
}))
const RemovalDialog = lazy(async () => ({ default: (await import('./removal-dialog.tsx')).RemovalDialog }))
const Help = lazy(async () => ({ default: (await import('./help.tsx')).Help }))

export const WorkspaceFile = () => {
  const { workspace } = useParams({ from: '/signed-in/w/$workspace/settings/workspace-file' })
  const { data, error } = useQuery({
    ...readOperation('exportWorkspaceFile', { params: { workspace } }),
    // The editor starts with the current file.
    gcTime: 0,
  })
  return (
    <Page
      title={t('Workspace file')}
      description={t(
        'Collections, APIs, members and settings, as text. The command querent apply takes the same file.',
      )}
    >
      {data && <Form key={workspace} workspace={workspace} exported={data} />}
      {error && <ErrorNote error={error} />}
      {!data && !error && <Loading />}
    </Page>
  )
}

const Form = ({ workspace, exported: opened }: { workspace: string; exported: FileBase }) => {
  const { data: workspaces } = useSuspenseQuery(readOperation('listWorkspaces', {}))
  const { data: apis } = useQuery(readOperation('listApis', { params: { workspace } }))
  const title = workspaces.items.find(item => item.workspace === workspace)?.title ?? workspace
  const file = useFileText(workspace, opened)
  const { text, setText, base, editor, checks, replaceText, compare, applyNow, attemptOnBase } = file
  const { outcome, error, isBusy, isStale, typed } = checks
  const applied = base.source
  const fileWorkspace = scanName(text)
  const namesOther = fileWorkspace !== undefined && fileWorkspace !== workspace
  const [removal, setRemoval] = useState<Removal>()
  const [chosen, setChosen] = useState<ChosenFile>()
  const chooseFile = (chosenFile: ChosenFile) => {
    setChosen(chosenFile)
    if (chosenFile.text !== undefined) replaceText(chosenFile.text)
  }
  const places = listPlaces(error)
  const check = places.length > 0 ? { places } : typed
  const applyText = () =>
    attemptOnBase(async () => {
      const planned = await compare()
      if (!planned) return undefined
      if (!planned.changes.some(({ change }) => change === 'remove')) return applyNow(planned)
      const { items } = await management.call('listCollections', { params: { workspace } })
      setRemoval({ planned, loss: readDocumentLoss(planned, items) })
      return undefined
    })
  const { at } = useSearch({ from: '/signed-in/w/$workspace/settings/workspace-file' })
  const hasParts = (source: string) => /^(collections|apis):/m.test(source)
  const isTemplate = workspaceTemplates.some(({ write }) => write(workspace, title) === text)
  // Another template may replace one that nobody has changed yet.
  const isEmpty = apis?.items.length === 0 && !hasParts(applied) && (isTemplate || !hasParts(text))
  return (
    <Stack gap="md">
      {isEmpty && <TemplateChoice onChoose={({ write }) => replaceText(write(workspace, title))} />}
      <Group gap="xs" className="buttons-in-sight">
        <Button onClick={applyText} loading={isBusy}>
          {t('Apply')}
        </Button>
        <Button variant="default" disabled={isBusy} onClick={() => attemptOnBase(compare)}>
          {t('Preview changes')}
        </Button>
        <HistoryLink workspace={workspace} />
        <FileActions workspace={workspace} text={text} onChoose={chooseFile} />
        <DialogButton label={t('Types and kinds')} variant="subtle">
          {dialog => <Help {...dialog} />}
        </DialogButton>
        <div role="status">
          {check && text !== applied && (
            <CheckSummary check={check} onChoose={place => editor.current?.goTo(place)} />
          )}
        </div>
      </Group>
      {error !== undefined && places.length === 0 && !isStale && (
        <ScrollIntoView>
          <ErrorNote error={error} />
        </ScrollIntoView>
      )}
      {!isStale && error instanceof ApiError && error.status === 403 && namesOther && (
        <OtherNameNote fileWorkspace={fileWorkspace} workspace={workspace} />
      )}
      <div role="status">
        {chosen && (chosen.text === undefined || text !== applied) && <ChosenFileNote {...chosen} />}
        {file.isMerged && (
          <Alert color="querent" variant="light">
            {t('Your lines are in the current file. Nothing is applied yet: check the text, then apply it.')}
          </Alert>
        )}
      </div>
      {outcome && !isStale && (
        <ScrollIntoView key={outcome.plan}>
          <Outcome outcome={outcome} />
        </ScrollIntoView>
      )}
      <SourceField
        text={text}
        onChange={setText}
        onSave={() => attemptOnBase(compare)}
        onOpen={async opened => {
          if (at) await goToPath(opened, text, at)
        }}
        editor={editor}
      />
      {check && 'places' in check && (places.length > 0 || text !== applied) && (
        <div className="errors-in-sight">
          {places.length > 0 ? (
            <Places places={places} onChoose={chosen => editor.current?.goTo(chosen)} />
          ) : (
            <PlaceList places={check.places} onChoose={chosen => editor.current?.goTo(chosen)} />
          )}
        </div>
      )}
      <LeaveGuard isBlocking={text !== applied} question={t('Leave without applying?')}>
        {t('Your changes to the workspace file are not applied and will be lost.')}
      </LeaveGuard>
      <OtherWorkspace
        workspace={workspace}
        text={text}
        planned={file.otherWorkspace}
        onClose={() => file.setOtherWorkspace(undefined)}
      />
      {removal && (
        <Suspense>
          <RemovalDialog
            {...removal}
            workspace={workspace}
            onClose={() => setRemoval(undefined)}
            onApply={() => void attemptOnBase(() => applyNow(removal.planned))}
          />
        </Suspense>
      )}
      {file.current && (
        <Suspense>
          <ChangedMeanwhile
            workspace={workspace}
            opened={base.source}
            text={text}
            current={file.current}
            onClose={() => file.setCurrent(undefined)}
            onStart={file.startFromCurrent}
          />
        </Suspense>
      )}
    </Stack>
  )
}

const HistoryLink = ({ workspace }: { workspace: string }) => (
  <ButtonLink to="/w/$workspace/settings/workspace-file/history" params={{ workspace }} variant="default">
    {t('History')}
  </ButtonLink>
)

/** Scrolls to the place of a path in the file. */
const goToPath = async (editor: Editor, text: string, path: Path): Promise<void> => {
  const { locateFaults } = await import('@querent/contract/workspace-source')
  const [place] = locateFaults(text, [{ path, message: '' }])
  if (place?.line !== undefined) editor.goTo(place)
}

const TemplateChoice = ({ onChoose }: { onChoose: (template: WorkspaceTemplate) => void }) => (
  <Alert title={t('This workspace has no collections and no APIs yet')} color="querent" variant="light">
    <Stack gap="sm" align="flex-start">
      <Text size="sm">{t('Start with a template, and adapt it to your documents.')}</Text>
      <Group gap="xs">
        {workspaceTemplates.map(template => (
          <Button
            key={template.name}
            variant="default"
            title={template.description}
            onClick={() => onChoose(template)}
          >
            {template.name}
          </Button>
        ))}
      </Group>
    </Stack>
  </Alert>
)

const OtherNameNote = (names: { fileWorkspace: string; workspace: string }) => (
  <Alert color="yellow" role="status">
    {t('The file names the workspace {fileWorkspace}, but {workspace} is open. Nothing was changed.', names)}
  </Alert>
)

/** Ctrl-S in a long file would show its result out of sight. */
const ScrollIntoView = ({ children }: { children: ReactNode }) => {
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    // Newer browsers return a promise, which React would take for a cleanup function.
    place.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <div ref={place} style={{ scrollMarginTop: headerPixels }}>
      {children}
    </div>
  )
}

/** Height of the header, which stays in place, and some room. */
const headerPixels = 72

interface PlacesProps {
  places: readonly ErrorPlace[]
  onChoose: (place: ErrorPlace) => void
}

const Places = (props: PlacesProps) => (
  <Alert
    color="red"
    variant="light"
    role="alert"
    title={t('The file cannot be applied; nothing was changed')}
  >
    <PlaceList {...props} />
  </Alert>
)

const Outcome = ({ outcome }: { outcome: ApplyReply }) => {
  const { workspace, dryRun, changes, invitations, warnings } = outcome
  return (
    <Alert
      color={dryRun ? 'querent' : 'green'}
      variant="light"
      role="status"
      title={describeOutcome(outcome)}
    >
      <Stack gap="sm">
        <Suspense>
          <Changes workspace={workspace} changes={changes} />
        </Suspense>
        <Warnings workspace={workspace} warnings={warnings} />
        {invitations.map(({ id, email, url, mailed }) => (
          <CopyValue
            key={id}
            label={
              mailed
                ? t('Invitation link for {email}, only shown once; also sent by mail', { email })
                : t('Invitation link for {email}, only shown once', { email })
            }
            value={url}
          />
        ))}
        {!dryRun && (
          <Text size="sm">
            {tNodes('Next: {import}, or {query}.', {
              import: (
                <TextLink to="/w/$workspace/data" params={{ workspace }}>
                  {t('import documents')}
                </TextLink>
              ),
              query: (
                <TextLink to="/w/$workspace/apis" params={{ workspace }}>
                  {t('try the APIs')}
                </TextLink>
              ),
            })}
          </Text>
        )}
      </Stack>
    </Alert>
  )
}

const describeOutcome = ({ dryRun, changes, textChanged }: ApplyReply): string => {
  if (changes.length > 0) return dryRun ? t('Applying makes these changes') : t('Applied')
  if (!textChanged) return t('No changes: the workspace matches the file')
  return dryRun ? t('Only comments or layout change') : t('Saved: only comments or layout changed')
}
