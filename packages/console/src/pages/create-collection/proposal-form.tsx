import {
  Alert,
  Button,
  Group,
  NativeSelect,
  Paper,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { languages } from '@querent/contract/languages'
import type { Proposal, ProposedField, UnreadableDocuments } from '@querent/contract/proposal'
import { namePattern } from '@querent/contract/workspace-names'
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { callWithBase, type FileBase, FileChanged } from '#api/file-base.ts'
import { management, readOperation } from '#api/manage.ts'
import { t, tCount } from '#i18n/translate.ts'
import type { ProposedFile } from '#pages/collection/proposed-file.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import { LeaveGuard } from '#ui/unsaved-changes.tsx'
import { FieldTable } from './field-table.tsx'
import { IdChoice } from './id-choice.tsx'
import { ImportStep } from './import-step.tsx'
import { ListChoice } from './list-choice.tsx'
import { Preview } from './preview.tsx'

interface ProposalFormProps {
  workspace: string
  proposed: ProposedFile
  /** There is another proposal, for another list of the file. */
  onProposed: (proposed: ProposedFile) => void
  /** The collection of this name and title exists now, and its import starts. */
  onCreated: (collection: string, title: string) => void
  onCancel: () => void
}

/** The proposal as a form. "Create" adds it to the workspace file, and imports the file of documents. */
export const ProposalForm = ({
  workspace,
  proposed: { file, proposal, isTable, rows },
  onProposed,
  onCreated,
  onCancel,
}: ProposalFormProps) => {
  const [draft, setDraft] = useState<Proposal>(proposal)
  const cache = useQueryClient()
  const { data: collections } = useSuspenseQuery(readOperation('listCollections', { params: { workspace } }))
  const { data: apis } = useSuspenseQuery(readOperation('listApis', { params: { workspace } }))
  const create = useMutation({
    mutationFn: (chosen: Proposal) => addToWorkspace(workspace, chosen),
    onSuccess: (_, { collection, title }) => onCreated(collection, title),
    onSettled: () => cache.invalidateQueries(),
  })
  const name = useRef<HTMLInputElement>(null)
  // The choice of the file, which had the focus, is gone.
  useEffect(() => name.current?.focus(), [])
  if (create.isSuccess) return <ImportStep workspace={workspace} proposal={draft} file={file} rows={rows} />
  const isTaken =
    collections.items.some(({ collection }) => collection === draft.collection) ||
    apis.items.some(({ api }) => api === draft.collection)
  const nameError = isTaken
    ? t('The workspace already has {name}. Choose another name.', { name: draft.collection })
    : new RegExp(namePattern).test(draft.collection)
      ? undefined
      : t('Letters A-Z, a-z, digits, hyphens and underscores, 1 to 63.')
  const change = (part: Partial<Proposal>) => setDraft({ ...draft, ...part })
  const changeField = (changed: ProposedField) =>
    change({ fields: draft.fields.map(field => (field.name === changed.name ? changed : field)) })
  return (
    <Stack
      component="form"
      gap="lg"
      onSubmit={event => {
        event.preventDefault()
        // The name is above the table of fields, which may be long.
        if (nameError === undefined) create.mutate(draft)
        else name.current?.focus()
      }}
    >
      <Text>{describeSample(proposal, file.name)}</Text>
      {proposal.unreadable && <Unreadable {...proposal.unreadable} />}
      {proposal.rows && (
        <ListChoice workspace={workspace} file={file} rows={proposal.rows} onProposed={onProposed} />
      )}
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
        <TextInput
          ref={name}
          label={t('Name')}
          description={t("In addresses; it can't be changed later")}
          value={draft.collection}
          error={nameError}
          onChange={event => change({ collection: event.currentTarget.value })}
        />
        <TextInput
          label={t('Title')}
          description={t('Of the collection and its search')}
          required
          maxLength={200}
          value={draft.title}
          onChange={event => change({ title: event.currentTarget.value })}
        />
        <IdChoice proposal={draft} onChange={id => change({ id })} />
        <NativeSelect
          label={t('Language')}
          description={describeLanguage(draft, proposal)}
          data={languages.map(value => ({ value, label: languageLabels[value] ?? value }))}
          value={draft.language}
          onChange={event => {
            const language = languages.find(name => name === event.currentTarget.value)
            if (language) change({ language })
          }}
        />
      </SimpleGrid>
      <Stack gap="xs">
        <Title order={2} size="h4">
          {t('Fields')}
        </Title>
        <FieldTable fields={draft.fields} onChange={changeField} />
      </Stack>
      <Paper withBorder p="md">
        <Preview proposal={draft} isTable={isTable} />
      </Paper>
      {create.error && <ErrorNote error={create.error} />}
      <Group>
        <Button type="submit" loading={create.isPending}>
          {t('Create and import')}
        </Button>
        <Button variant="default" disabled={create.isPending} onClick={onCancel}>
          {t('Choose another file')}
        </Button>
      </Group>
      <LeaveGuard isBlocking={!create.isPending} question={t('Leave without creating it?')}>
        {t('The file was not imported yet. The proposal will be lost.')}
      </LeaveGuard>
    </Stack>
  )
}

/** Says before anything is created that the import will reject documents. */
const Unreadable = ({ documents, first }: UnreadableDocuments) => (
  <Alert color="yellow" variant="light" role="status">
    {tCount(
      documents,
      '{count} document cannot be read, and the import will leave it out:',
      '{count} documents cannot be read, and the import will leave them out. The first:',
    )}{' '}
    <span lang="en">{first}</span>
  </Alert>
)

const describeSample = ({ documents, coverage }: Proposal, file: string): string => {
  if (coverage === 'whole')
    return tCount(
      documents,
      '{file}: looked at {count} document.',
      '{file}: looked at all {count} documents.',
      { file },
    )
  return coverage === 'beginning'
    ? t('{file}: looked at the first {count} documents.', { file, count: documents })
    : t('{file}: looked at {count} documents from its beginning to its end.', { file, count: documents })
}

/** The two that are no languages. */
const languageLabels: Readonly<Record<string, string>> = {
  general: t('general: several languages'),
  none: t('none: words as they are'),
}

const describeLanguage = (draft: Proposal, { language, languageConfidence }: Proposal): string => {
  if (draft.language !== language) return t('Of the texts')
  return languageConfidence === 0
    ? t(
        'No language recognized. Choose it here: otherwise parts of compounds and other forms of words are found less often.',
      )
    : t('Guessed: {percent}% of the texts', { percent: Math.round(languageConfidence * 100) })
}

/** Adds the collection and its API to the workspace file, whose comments and layout stay, and so does what others add meanwhile. */
const addToWorkspace = async (workspace: string, proposal: Proposal): Promise<void> => {
  const { extendWorkspaceText } = await import('@querent/contract/extend-workspace-text')
  const extend = ({ source, tag }: FileBase) =>
    callWithBase(workspace, { source, tag }, base =>
      management.call('applyWorkspaceFile', {
        input: { source: extendWorkspaceText(source, proposal), base },
      }),
    )
  const exported = await management.call('exportWorkspaceFile', { params: { workspace } })
  await extend(exported).catch(async fault => {
    if (!(fault instanceof FileChanged)) throw fault
    await extend(fault.current)
  })
}
