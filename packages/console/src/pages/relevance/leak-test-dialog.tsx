import { NativeSelect, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import type { LeakTest } from '@querent/contract/relevance-tests'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { useState } from 'react'
import { useWorkspaceFileEdit } from '#api/workspace-file-edit.ts'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { FormRefusal } from '#ui/file-refusal.ts'
import { FormDialog } from '#ui/form-dialog.tsx'
import { RowFilterForm, useRowFilter } from '#ui/row-filter-form.tsx'
import { testsEdit } from './tests-edit.ts'
import { listTextPlaces } from './text-places.ts'

interface LeakTestDialogProps extends DialogState {
  file: WorkspaceFile
  /** Undefined: a new one. */
  test?: LeakTest
}

/** Adds a leak test to the workspace file, or changes one. */
export const LeakTestDialog = ({ file, test, isOpen, onClose }: LeakTestDialogProps) => {
  const places = listTextPlaces(file)
  const { plan, apply } = useWorkspaceFileEdit(file.workspace)
  const [subject, setSubject] = useState(() => readSubject(file, test))
  const [place, setPlace] = useState(() => findPlace(places, test)?.value ?? places[0]?.value ?? '')
  const [query, setQuery] = useState(test?.query ?? '')
  const never = useRowFilter(file.workspace, test?.never, 'never')
  const save = async () => {
    const filter = never.read()
    if (filter === undefined) return
    if (filter === null)
      throw new FormRefusal(t('Add a field: documents with these values must stay hidden.'))
    const chosen = places.find(({ value }) => value === place)
    if (!chosen) throw new FormRefusal(t('Add an endpoint that searches by words first.'))
    const { api, endpoint } = chosen
    const name = subject.name.trim()
    const changed: LeakTest = {
      ...(test?.config === undefined ? {} : { config: test.config }),
      as: subject.kind === 'group' ? { group: name } : { member: name },
      api,
      endpoint,
      query: query.trim(),
      never: filter,
    }
    const tests = file.tests ?? []
    const next = test ? tests.map(other => (other === test ? changed : other)) : [...tests, changed]
    await apply(await plan([testsEdit(next)]))
    onClose()
  }
  return (
    <FormDialog
      title={test ? t('Edit leak test') : t('Add a leak test')}
      isOpen={isOpen}
      onClose={onClose}
      submit={test ? t('Save') : t('Add')}
      onSubmit={save}
    >
      <Stack>
        <SubjectInput file={file} value={subject} onChange={setSubject} />
        <NativeSelect
          label={t('Endpoint')}
          value={place}
          onChange={event => setPlace(event.currentTarget.value)}
          data={places.map(({ value, label }) => ({ value, label }))}
        />
        <TextInput
          label={t('Query')}
          description={t('It must not find, count or suggest one of the documents.')}
          required
          value={query}
          onChange={event => setQuery(event.currentTarget.value)}
        />
        <RowFilterForm {...never.state} error={undefined} />
        <Text size="sm" c="dimmed">
          {t('The test is added to the workspace file.')}
        </Text>
      </Stack>
    </FormDialog>
  )
}

interface Subject {
  kind: 'group' | 'member'
  name: string
}

const readSubject = ({ groups = {} }: WorkspaceFile, test: LeakTest | undefined): Subject => {
  if (!test) return { kind: 'group', name: Object.keys(groups)[0] ?? '' }
  return 'group' in test.as
    ? { kind: 'group', name: test.as.group }
    : { kind: 'member', name: test.as.member }
}

const findPlace = (places: ReturnType<typeof listTextPlaces>, test: LeakTest | undefined) =>
  test &&
  places.find(
    ({ api, endpoint }) => endpoint === test.endpoint && (test.api === undefined || test.api === api),
  )

interface SubjectInputProps {
  file: WorkspaceFile
  value: Subject
  onChange: (subject: Subject) => void
}

/** Only administrators see the groups of the file; others type a name. */
const SubjectInput = ({ file: { groups = {} }, value, onChange }: SubjectInputProps) => {
  const names = Object.keys(groups)
  const setName = (name: string) => onChange({ ...value, name })
  return (
    <>
      <SegmentedControl
        aria-label={t('Whose rights')}
        className="choices"
        value={value.kind}
        onChange={kind =>
          onChange(kind === 'member' ? { kind: 'member', name: '' } : { kind: 'group', name: names[0] ?? '' })
        }
        data={[
          { value: 'group', label: t('Somebody in one group') },
          { value: 'member', label: t('A member') },
        ]}
      />
      {value.kind === 'group' && names.length > 0 ? (
        <NativeSelect
          label={t('Group')}
          value={value.name}
          onChange={event => setName(event.currentTarget.value)}
          data={names.map(name => ({ value: name, label: groups[name]?.title ?? name }))}
        />
      ) : (
        <TextInput
          label={value.kind === 'group' ? t('Group') : t('E-mail address or Client ID')}
          required
          spellCheck={false}
          autoComplete="off"
          value={value.name}
          onChange={event => setName(event.currentTarget.value)}
        />
      )}
    </>
  )
}
