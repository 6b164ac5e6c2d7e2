/** Settings > General: name, description, generations and query log of a workspace; deletion. */
import { NativeSelect, Textarea, TextInput } from '@mantine/core'
import { readDuration, writeDuration } from '@querent/contract/duration'
import type { WorkspaceSettings } from '@querent/contract/manage'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { management, readOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { DeleteSection } from '#ui/delete-section.tsx'
import { DeletedWorkspace } from '#ui/deleted-workspace.tsx'
import { NumberField } from '#ui/number-field.tsx'
import { Page } from '#ui/page.tsx'
import { SettingsCard } from '#ui/settings-card.tsx'
import { SettingsForm } from '#ui/settings-form.tsx'

const generationsMax = 100
const queryLogDaysMax = 3650
const daySeconds = 86_400

type QueryLogParameters = WorkspaceSettings['queryLog']['parameters']

const queryLogDescriptions: Readonly<Record<QueryLogParameters, string>> = {
  off: t('Usage counts queries, without their texts. Stored searches are deleted when you save.'),
  hashed: t(
    'Usage counts how often each search occurs, without its text. Stored texts are deleted when you save.',
  ),
  full: t('Usage shows the top searches with their texts. They can contain personal data.'),
}

export const General = () => {
  const { workspace } = useParams({ from: '/signed-in/w/$workspace/settings/general' })
  const { data } = useSuspenseQuery(readOperation('getSettings', { params: { workspace } }))
  const section = { workspace, settings: data }
  return (
    <Page title={t('General')} description={t('The workspace file has the same values.')}>
      <SettingsCard title={t('Workspace')}>
        <NameForm {...section} />
      </SettingsCard>
      <SettingsCard title={t('Query log')}>
        <QueryLogForm {...section} />
      </SettingsCard>
      <SettingsCard title={t('Generations')}>
        <GenerationsForm {...section} />
      </SettingsCard>
      <DeleteWorkspace workspace={workspace} />
    </Page>
  )
}

interface Section {
  workspace: string
  settings: WorkspaceSettings
}

const NameForm = ({ workspace, settings }: Section) => {
  const [title, setTitle] = useState(settings.title)
  const [description, setDescription] = useState(settings.description)
  return (
    <SettingsForm
      workspace={workspace}
      readInput={() => ({ title, description: description.trim() })}
      fields={['title', 'description']}
      saved={t('Saved.')}
    >
      {({ fault }) => (
        <>
          <TextInput
            label={t('Title')}
            required
            maxLength={200}
            value={title}
            onChange={event => setTitle(event.currentTarget.value)}
            error={fault('title')}
          />
          <Textarea
            label={t('Description')}
            description={t('What people find here. Members see it on the overview.')}
            autosize
            minRows={2}
            maxRows={8}
            maxLength={1000}
            value={description}
            onChange={event => setDescription(event.currentTarget.value)}
            error={fault('description')}
          />
          <TextInput
            label={t('URL name')}
            description={t("It is part of every address, so it can't be changed.")}
            readOnly
            variant="filled"
            value={workspace}
          />
        </>
      )}
    </SettingsForm>
  )
}

const QueryLogForm = ({ workspace, settings: { queryLog } }: Section) => {
  const [parameters, setParameters] = useState(queryLog.parameters)
  // The file may say hours, such as 36h.
  const savedDays = (readDuration(queryLog.keep) ?? 0) / daySeconds
  const [keepDays, setKeepDays] = useState<number | undefined>(savedDays)
  const keep = writeDuration(Math.round((keepDays ?? savedDays) * daySeconds))
  const isChanged = parameters !== queryLog.parameters || keepDays !== savedDays
  return (
    <SettingsForm
      workspace={workspace}
      label={t('Query log')}
      // The file keeps what it says, and what it leaves out.
      readInput={() => (isChanged ? { queryLog: { parameters, keep } } : {})}
      fields={['queryLog']}
      saved={t('Saved.')}
    >
      {({ fault }) => (
        <>
          <NativeSelect
            label={t('Texts of searches')}
            description={queryLogDescriptions[parameters]}
            data={[
              { value: 'off', label: t('Off') },
              { value: 'hashed', label: t('Hashed') },
              { value: 'full', label: t('Full text') },
            ]}
            value={parameters}
            // The options are those of the setting.
            onChange={event => setParameters(event.currentTarget.value as QueryLogParameters)}
          />
          <NumberField
            label={t('Keep usage and searches for (days)')}
            description={t('From 1 to 3,650 days. Older figures and searches are deleted.')}
            required
            allowed={{ min: 1, max: queryLogDaysMax, isWhole: Number.isInteger(savedDays) }}
            value={keepDays}
            onChange={setKeepDays}
            error={fault('queryLog')}
          />
        </>
      )}
    </SettingsForm>
  )
}

const GenerationsForm = ({ workspace, settings }: Section) => {
  const [keepGenerations, setKeepGenerations] = useState<number | undefined>(settings.keepGenerations)
  return (
    <SettingsForm
      workspace={workspace}
      label={t('Generations')}
      readInput={() => (keepGenerations === undefined ? undefined : { keepGenerations })}
      fields={['keepGenerations']}
      saved={t('Saved.')}
    >
      {({ fault }) => (
        <NumberField
          label={t('Earlier generations to keep')}
          description={t(
            'For each collection, besides the live generation and the one before it. You can switch back to a kept one.',
          )}
          required
          allowed={{ min: 0, max: generationsMax, isWhole: true }}
          value={keepGenerations}
          onChange={setKeepGenerations}
          error={fault('keepGenerations')}
        />
      )}
    </SettingsForm>
  )
}

const DeleteWorkspace = ({ workspace }: { workspace: string }) => {
  const navigate = useNavigate()
  return (
    <DeleteSection
      title={t('Delete this workspace')}
      description={t(
        'This deletes its documents, APIs, members, accounts and applications. You can save the workspace file and apply it again, but documents are lost.',
      )}
      label={t('Delete workspace')}
      question={t('Delete the workspace {workspace}?', { workspace })}
      name={workspace}
      remove={() => management.call('removeWorkspace', { params: { workspace } })}
      leave={() => navigate({ to: '/workspaces' })}
    >
      <DeletedWorkspace workspace={workspace} />
    </DeleteSection>
  )
}
