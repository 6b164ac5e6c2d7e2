/** Settings > General: name, description, generations and query log of a workspace; deletion. */
import { Fieldset, NativeSelect, NumberInput, Stack, Textarea, TextInput } from '@mantine/core'
import type { WorkspaceSettings } from '@querent/contract/manage'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { management, readOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { DeleteSection } from '#ui/delete-section.tsx'
import { Page } from '#ui/page.tsx'
import { SettingsForm } from '#ui/settings-form.tsx'

const generationsMax = 100
const queryLogDaysMax = 3650

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
  const [title, setTitle] = useState(data.title)
  const [description, setDescription] = useState(data.description)
  const [keepGenerations, setKeepGenerations] = useState(String(data.keepGenerations))
  const saved = readQueryLog(data)
  const [queryLog, setQueryLog] = useState(saved)
  const isQueryLogChanged = queryLog.parameters !== saved.parameters || queryLog.keepDays !== saved.keepDays
  return (
    <Page
      title={t('General')}
      description={t(
        'Name, description and query log of this workspace. The workspace file has the same values.',
      )}
    >
      <SettingsForm
        workspace={workspace}
        readInput={() => ({
          title,
          description: description.trim(),
          keepGenerations: Number(keepGenerations),
          // The file keeps what it says, and what it leaves out.
          ...(isQueryLogChanged ? { queryLog: writeQueryLog(queryLog) } : {}),
        })}
        fields={['title', 'description', 'keepGenerations', 'queryLog']}
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
            <TextInput
              label={t('URL name')}
              description={t("It is part of every address, so it can't be changed.")}
              readOnly
              value={workspace}
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
            <NumberInput
              label={t('Earlier generations to keep')}
              description={t(
                'For each collection, besides the live generation and the one before it. You can switch back to a kept one.',
              )}
              required
              min={0}
              max={generationsMax}
              clampBehavior="strict"
              allowDecimal={false}
              hideControls
              value={keepGenerations}
              onChange={value => setKeepGenerations(String(value))}
              error={fault('keepGenerations')}
            />
            <QueryLogInputs value={queryLog} onChange={setQueryLog} fault={fault('queryLog')} />
          </>
        )}
      </SettingsForm>
      <DeleteWorkspace workspace={workspace} />
    </Page>
  )
}

interface QueryLogDraft {
  parameters: QueryLogParameters
  /** As typed. */
  keepDays: string
}

const readQueryLog = ({ queryLog: { parameters, keep } }: WorkspaceSettings): QueryLogDraft => ({
  parameters,
  keepDays: String(Number.parseInt(keep, 10)),
})

const writeQueryLog = ({ parameters, keepDays }: QueryLogDraft): WorkspaceSettings['queryLog'] => ({
  parameters,
  keep: `${keepDays}d`,
})

interface QueryLogInputsProps {
  value: QueryLogDraft
  onChange: (value: QueryLogDraft) => void
  fault: string | undefined
}

const QueryLogInputs = ({ value, onChange, fault }: QueryLogInputsProps) => (
  <Fieldset legend={t('Query log')}>
    <Stack>
      <NativeSelect
        label={t('Texts of searches')}
        description={queryLogDescriptions[value.parameters]}
        data={[
          { value: 'off', label: t('Off') },
          { value: 'hashed', label: t('Hashed') },
          { value: 'full', label: t('Full text') },
        ]}
        value={value.parameters}
        // The options are those of the setting.
        onChange={event =>
          onChange({ ...value, parameters: event.currentTarget.value as QueryLogParameters })
        }
      />
      <NumberInput
        label={t('Keep usage and searches for (days)')}
        description={t('From 1 to 3,650 days. Older figures and searches are deleted.')}
        required
        min={1}
        max={queryLogDaysMax}
        clampBehavior="strict"
        allowDecimal={false}
        hideControls
        value={value.keepDays}
        onChange={days => onChange({ ...value, keepDays: String(days) })}
        error={fault}
      />
    </Stack>
  </Fieldset>
)

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
      {t(
        'This permanently deletes all documents. Applications that use the workspace lose access immediately.',
      )}
    </DeleteSection>
  )
}
