import { NativeSelect, SegmentedControl, Text, Textarea, TextInput } from '@mantine/core'
import { identifyTest, listRelevanceTests } from '@querent/client/relevance/plan-tests'
import { documentIds } from '@querent/contract/document-id'
import {
  type ExpectTest,
  measureNames,
  type RelevanceTest,
  type WorkspaceTest,
} from '@querent/contract/relevance-tests'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { useState } from 'react'
import { readDocument } from '#api/documents.ts'
import { useWorkspaceFileEdit } from '#api/workspace-file-edit.ts'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { FormRefusal } from '#ui/file-refusal.ts'
import { FormDialog } from '#ui/form-dialog.tsx'
import { lines } from '#ui/lines.ts'
import { NumberField } from '#ui/number-field.tsx'
import { ExpectedDocuments } from './expected-documents.tsx'
import { splitIds } from './split-ids.ts'
import { testsEdit } from './tests-edit.ts'
import { listTextPlaces, type TextPlace } from './text-places.ts'

interface Draft {
  kind: 'expect' | 'judgments'
  /** `{api} {endpoint}` */
  place: string
  query: string
  /** Ids of results that the person has ticked. */
  selectedIds: string[]
  /** One id or URI per line. */
  otherIds: string
  within: number | undefined
  judgments: string
  metric: string
  atLeast: number | undefined
}

interface TestDialogProps extends DialogState {
  file: WorkspaceFile
  /** Position among the relevance tests of the file. Undefined for a new one. */
  index?: number
}

/** A form that adds a test to the workspace file, or changes one. */
export const TestDialog = ({ file, index, isOpen, onClose }: TestDialogProps) => {
  const places = listTextPlaces(file)
  const { plan, apply } = useWorkspaceFileEdit(file.workspace)
  const edited = index === undefined ? undefined : listRelevanceTests(file)[index]
  const [draft, setDraft] = useState<Draft>(() => ({
    kind: 'expect',
    place: places[0]?.value ?? '',
    query: '',
    selectedIds: [],
    otherIds: '',
    within: 10,
    judgments: 'judgments.tsv',
    metric: 'ndcg@10',
    atLeast: 0.5,
    ...(edited && readTest(file, edited)),
  }))
  const change = (part: Partial<Draft>) => setDraft(current => ({ ...current, ...part }))
  const place = places.find(({ value }) => value === draft.place)
  const save = async () => {
    if (!place) throw new FormRefusal(t('Add an endpoint that searches by words first.'))
    const config = edited?.config === undefined ? {} : { config: edited.config }
    const otherIds = draft.kind === 'expect' ? await readOtherIds(file, place, draft.otherIds) : []
    const target = { api: place.api, endpoint: place.endpoint }
    const test = { ...writeTest(draft, otherIds, target), ...config }
    const tests: WorkspaceTest[] = edited
      ? (file.tests ?? []).map(other => (other === edited ? test : other))
      : [...(file.tests ?? []), test]
    await apply(await plan([testsEdit(tests)]))
    onClose()
  }
  return (
    <FormDialog
      title={edited ? t('Edit the test') : t('Add a test')}
      isOpen={isOpen}
      onClose={onClose}
      submit={edited ? t('Save') : t('Add')}
      onSubmit={save}
    >
      <SegmentedControl
        aria-label={t('Kind of test')}
        className="choices"
        value={draft.kind}
        onChange={kind => change({ kind: kind === 'judgments' ? kind : 'expect' })}
        data={[
          { value: 'expect', label: t('Documents that must be found') },
          { value: 'judgments', label: t('File of judgments') },
        ]}
      />
      <NativeSelect
        label={t('Endpoint')}
        value={draft.place}
        onChange={event => change({ place: event.currentTarget.value, selectedIds: [] })}
        data={places.map(({ value, label }) => ({ value, label }))}
      />
      {draft.kind === 'expect' ? (
        <ExpectInputs file={file} place={place} draft={draft} onChange={change} />
      ) : (
        <JudgmentInputs draft={draft} onChange={change} />
      )}
      <Text size="sm" c="dimmed">
        {edited
          ? t('The test is changed in the workspace file.')
          : t('The test is added to the workspace file.')}
      </Text>
    </FormDialog>
  )
}

interface InputsProps {
  draft: Draft
  onChange: (part: Partial<Draft>) => void
}

interface ExpectInputsProps extends InputsProps {
  file: WorkspaceFile
  /** Undefined without an endpoint that searches by words. */
  place: TextPlace | undefined
}

const ExpectInputs = ({ file, place, draft, onChange }: ExpectInputsProps) => (
  <>
    <TextInput
      label={t('Query')}
      required
      data-autofocus
      value={draft.query}
      onChange={event => onChange({ query: event.currentTarget.value })}
    />
    {place && (
      <ExpectedDocuments
        file={file}
        place={place}
        query={draft.query}
        selectedIds={draft.selectedIds}
        onChange={selectedIds => onChange({ selectedIds })}
      />
    )}
    <Textarea
      label={t('Other documents')}
      description={t('Ids or URIs that must be found too, one per line.')}
      autosize
      minRows={1}
      value={draft.otherIds}
      onChange={event => onChange({ otherIds: event.currentTarget.value })}
    />
    <NumberField
      label={t('Among the first')}
      description={t('Number of results that must contain all of them, from 1 to 1,000.')}
      required
      allowed={{ min: 1, max: 1000, isWhole: true }}
      value={draft.within}
      onChange={within => onChange({ within })}
    />
  </>
)

const JudgmentInputs = ({ draft, onChange }: InputsProps) => (
  <>
    <TextInput
      label={t('File')}
      description={t(
        'Its lines are query, document and grade from 0 to 10, separated by tabs. The path is relative to the workspace file.',
      )}
      required
      value={draft.judgments}
      onChange={event => onChange({ judgments: event.currentTarget.value })}
    />
    <NativeSelect
      label={t('Measure')}
      value={draft.metric}
      onChange={event => onChange({ metric: event.currentTarget.value })}
      data={[...new Set([draft.metric, ...measureNames.map(name => `${name}@10`)])]}
    />
    <NumberField
      label={t('At least')}
      description={t('From 0 to 1.')}
      required
      allowed={{ min: 0, max: 1 }}
      value={draft.atLeast}
      onChange={atLeast => onChange({ atLeast })}
    />
  </>
)

/** Returns the test as the form shows it. */
const readTest = (file: WorkspaceFile, test: RelevanceTest): Partial<Draft> => {
  const { api, collection } = identifyTest(file, test)
  const place = `${api} ${test.endpoint}`
  if ('judgments' in test)
    return {
      kind: 'judgments',
      place,
      judgments: test.judgments,
      metric: test.metric,
      atLeast: test.atLeast,
    }
  const { toId } = documentIds(file.workspace, collection, file.collections?.[collection] ?? {})
  return {
    kind: 'expect',
    place,
    query: test.query,
    selectedIds: test.expect.map(toId),
    within: test.within ?? 10,
  }
}

const readOtherIds = async (
  file: WorkspaceFile,
  { api, endpoint }: TextPlace,
  text: string,
): Promise<string[]> => {
  const { workspace } = file
  const { collection } = identifyTest(file, { api, endpoint, query: '', expect: [] })
  const { toId } = documentIds(workspace, collection, file.collections?.[collection] ?? {})
  return splitIds(lines(text), async id => {
    // A person may write tests without reading documents.
    const document = await readDocument(workspace, collection, toId(id)).catch(() => null)
    return document !== null
  })
}

/** Throws an error for a test without an expected document; the server checks the rest. */
const writeTest = (
  draft: Draft,
  otherIds: readonly string[],
  place: Pick<ExpectTest, 'api' | 'endpoint'>,
): RelevanceTest => {
  if (draft.kind === 'judgments')
    return {
      ...place,
      judgments: draft.judgments.trim(),
      metric: draft.metric,
      atLeast: draft.atLeast ?? 0,
    }
  const expect = [...new Set([...draft.selectedIds, ...otherIds])]
  if (expect.length === 0)
    throw new FormRefusal(t('Select the documents that people must find, or enter their ids.'))
  const count = draft.within ?? 10
  if (expect.length > count)
    throw new FormRefusal(
      t('{expected} documents do not fit among the first {count}.', { expected: expect.length, count }),
    )
  return { ...place, query: draft.query.trim(), expect, ...(count === 10 ? {} : { within: count }) }
}
