import { Button, Group, Stack, Text } from '@mantine/core'
import { createAttributesReader } from '@querent/contract/field-forms'
import type { ApiSummary } from '@querent/contract/manage'
import type { ApiDescription, Results } from '@querent/contract/query'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ComponentProps, lazy, Suspense, useEffect, useState } from 'react'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { t } from '#i18n/translate.ts'
import { DialogButton } from '#ui/dialog-button.tsx'
import { Loading } from '#ui/loading.tsx'
import type { ShownQuery } from './answer.ts'
import { useDisplaySettings } from './cards/display-settings.ts'
import { ResultList } from './cards/result-list.tsx'
import { ResultsBar } from './cards/results-bar.tsx'
import { JudgeButtons } from './judge/judge-buttons.tsx'
import { judgedText, listJudgments, readGrade, setGrade, useJudgments } from './judge/judgments.ts'
import type { TryItSearch } from './search.ts'
import { isRanked, isSortedOver } from './search-draft.ts'
import { findTextQuery, type TextQuery } from './text-query.ts'

const Curate = lazy(async () => ({ default: (await import('./curate/curate.tsx')).Curate }))
const Tune = lazy(async () => ({ default: (await import('./tune/tune.tsx')).Tune }))
const LeaveDialog = lazy(async () => ({ default: (await import('#ui/leave-dialog.tsx')).LeaveDialog }))
const JudgmentsDialog = lazy(async () => ({
  default: (await import('./judge/judgments-dialog.tsx')).JudgmentsDialog,
}))

/** Returns the URIs of the results that a rule places first. Only people who may change rules see that. */
const usePinned = (
  workspace: string,
  api: string,
  query: TextQuery | undefined,
  { items }: Results,
): ReadonlySet<string> => {
  const cache = useQueryClient()
  const [isShown, setIsShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsShown(true))
    return () => clearTimeout(timer)
  }, [])
  const uris = items.flatMap(({ tuple: [entity] }) => entity?.id ?? [])
  const { data } = useQuery({
    queryKey: ['pinned', workspace, api, query, uris],
    queryFn: async () => {
      const { readPinnedUris } = await import('./pinned-uris.ts')
      return query ? readPinnedUris(cache, { workspace, api, query, uris }) : []
    },
    enabled: isShown && query !== undefined,
  })
  return new Set(data)
}

interface MarkedListProps extends ComponentProps<typeof ResultList> {
  place: { workspace: string; api: string; curated: TextQuery | undefined }
}

/** The results, with a mark for those that a rule places first. */
const MarkedList = ({ place: { workspace, api, curated }, ...list }: MarkedListProps) => (
  <ResultList {...list} pinnedUris={usePinned(workspace, api, curated, list.results)} />
)

type Mode = 'read' | 'curate' | 'tune'

interface RankedResultsProps extends ShownQuery {
  search: TryItSearch
  description: ApiDescription
  /** By field name. */
  fieldTitles: Readonly<Record<string, string>>
  /** How documents write dates and lists, by attribute or path. */
  fieldForms: ApiSummary['fieldForms']
  /** Attributes or paths that the results are sorted by. */
  sortAttributes: readonly string[]
  results: Results
  onView: (view: 'compact' | undefined) => unknown
}

/** The results to read and judge, to pin and bury, or to compare with other settings. */
export const RankedResults = (props: RankedResultsProps) => {
  const { workspace, api, stack, config, offset, previewedMember } = props
  const { search, description, fieldTitles, fieldForms, sortAttributes, results, onView } = props
  const { page = 1, view } = search
  const [settings, setSettings] = useDisplaySettings(workspace, api)
  const { may } = useWorkspaceAccess(workspace)
  const { mode, chooseMode, setHasEdits, question } = useMode()
  const [judgments, setJudgments] = useJudgments(workspace, api)
  const query = findTextQuery(stack, description)
  const ranked = isRanked(stack, description)
  const mayTune = may('edit') && ranked
  const curated = mayTune && page === 1 && query?.kind === 'match' ? query : undefined
  const isCurating = mode === 'curate' && curated !== undefined
  const isTuning = mode === 'tune' && mayTune
  const judged = query && judgedText(query.text)
  const modeButton = (own: Mode, label: string, isActive: boolean) => (
    <Button
      size="compact-sm"
      variant={isActive ? 'light' : 'default'}
      aria-pressed={isActive}
      onClick={() => chooseMode(isActive ? 'read' : own)}
    >
      {label}
    </Button>
  )
  return (
    <Stack gap="md">
      <Group gap="xs">
        {!isCurating && !isTuning && (
          <ResultsBar
            entities={results.items.flatMap(({ tuple: [entity] }) => (entity ? [entity] : []))}
            fieldTitles={fieldTitles}
            settings={settings}
            onChange={setSettings}
            view={view}
            onView={onView}
          />
        )}
        <DisabledModes {...{ stack, description, page, query }} mayEdit={may('edit')} />
        {curated && modeButton('curate', t('Pin and bury'), isCurating)}
        {mayTune && modeButton('tune', t('Tune ranking'), isTuning)}
        {ranked && query && (
          <JudgmentsButton
            workspace={workspace}
            api={api}
            endpoint={query.endpoint}
            judgments={judgments}
            onChange={setJudgments}
          />
        )}
      </Group>
      {question}
      <Suspense fallback={<Loading />}>
        {isCurating && (
          <Curate
            key={`${curated.endpoint} ${curated.text}`}
            workspace={workspace}
            api={api}
            query={curated}
            items={results.items}
            onChange={setHasEdits}
          />
        )}
        {isTuning && (
          <Tune
            workspace={workspace}
            api={api}
            stack={stack}
            config={config}
            offset={offset}
            previewedMember={previewedMember}
            items={results.items}
            onChange={setHasEdits}
          />
        )}
      </Suspense>
      {!isCurating && !isTuning && (
        <MarkedList
          results={readForms(results, fieldForms)}
          {...{ fieldTitles, sortAttributes }}
          place={{ workspace, api, curated }}
          isRanked={ranked}
          endpoints={description.endpoints}
          settings={settings}
          view={view}
          {...(judged !== undefined &&
            ranked && {
              renderTools: (uri, title) => (
                <JudgeButtons
                  title={title}
                  grade={readGrade(judgments, judged, uri)}
                  onJudge={grade => setJudgments(setGrade(judgments, judged, uri, grade))}
                />
              ),
            })}
        />
      )}
    </Stack>
  )
}

/** Returns the results with dates and lists as people read them. */
const readForms = (results: Results, forms: ApiSummary['fieldForms']): Results => {
  if (Object.keys(forms).length === 0) return results
  const read = createAttributesReader(forms)
  const items = results.items.map(item => {
    const [entity] = item.tuple
    if (!entity) return item
    const tuple: typeof item.tuple = [
      { ...entity, attributes: read(entity.attributes) as typeof entity.attributes },
    ]
    return { ...item, tuple }
  })
  return { ...results, items }
}

/** The mode of the page. Asks before another mode drops edits. */
const useMode = () => {
  const [mode, setMode] = useState<Mode>('read')
  const [hasEdits, setHasEdits] = useState(false)
  const [askedMode, setAskedMode] = useState<Mode>()
  const question = askedMode !== undefined && (
    <Suspense>
      <LeaveDialog
        question={t('Leave without saving?')}
        leave={t('Leave')}
        onStay={() => setAskedMode(undefined)}
        onLeave={() => {
          setMode(askedMode)
          setAskedMode(undefined)
        }}
      >
        {t('Your changes are not saved and will be lost.')}
      </LeaveDialog>
    </Suspense>
  )
  return { mode, chooseMode: hasEdits ? setAskedMode : setMode, setHasEdits, question }
}

interface DisabledModesProps extends Pick<RankedResultsProps, 'stack' | 'description'> {
  mayEdit: boolean
  query: TextQuery | undefined
  page: number
}

/** Buttons that need the scores of results stay in their place while a sort decides, with the reason why they are disabled. */
const DisabledModes = ({ stack, description, mayEdit, query, page }: DisabledModesProps) => {
  const mayPin = mayEdit && query?.kind === 'match'
  if (!isSortedOver(stack, description))
    return (
      mayPin &&
      page > 1 && <DisabledMode label={t('Pin and bury')} title={t('Pinned results are on the first page')} />
    )
  return (
    <>
      {mayPin && <DisabledMode label={t('Pin and bury')} />}
      {mayEdit && <DisabledMode label={t('Tune ranking')} />}
      {query && <DisabledMode label={t('Judgments')} />}
      <Text size="sm" c="dimmed">
        {mayEdit
          ? t('The results are sorted. Remove the sort to compare, pin, tune and judge them.')
          : t('The results are sorted. Remove the sort to compare and judge them.')}
      </Text>
    </>
  )
}

const DisabledMode = ({ label, title }: { label: string; title?: string }) => (
  <Button size="compact-sm" variant="default" disabled title={title}>
    {label}
  </Button>
)

type JudgmentsButtonProps = Omit<ComponentProps<typeof JudgmentsDialog>, 'isOpen' | 'onClose'>

const JudgmentsButton = (props: JudgmentsButtonProps) => (
  <DialogButton
    size="compact-sm"
    variant="default"
    label={t('Judgments ({count})', { count: listJudgments(props.judgments).length })}
  >
    {dialog => <JudgmentsDialog {...dialog} {...props} />}
  </DialogButton>
)
