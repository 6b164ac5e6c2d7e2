import { Group, Stack } from '@mantine/core'
import type { StackedEndpoint } from '@querent/contract/paths'
import type { ApiDescription, Results } from '@querent/contract/query'
import { lazy } from 'react'
import { t } from '#i18n/translate.ts'
import { DialogButton } from '#ui/dialog-button.tsx'
import { JudgeButtons } from './judge/judge-buttons.tsx'
import { judgedText, listJudgments, readGrade, setGrade, useJudgments } from './judge/judgments.ts'
import { ResultList } from './result-list.tsx'
import { isRanked } from './search-draft.ts'
import { findTextQuery } from './text-query.ts'

const JudgmentsDialog = lazy(async () => ({
  default: (await import('./judge/judgments-dialog.tsx')).JudgmentsDialog,
}))

interface RankedResultsProps {
  workspace: string
  api: string
  stack: StackedEndpoint[]
  description: ApiDescription
  /** By field name. */
  fieldTitles: Readonly<Record<string, string>>
  results: Results
}

/** The results, to read and to judge. */
export const RankedResults = (props: RankedResultsProps) => {
  const { workspace, api, stack, description, fieldTitles, results } = props
  const [judgments, setJudgments] = useJudgments(workspace, api)
  const query = findTextQuery(stack, description)
  const ranked = isRanked(stack, description)
  const judged = query && judgedText(query.text)
  return (
    <Stack gap="md">
      {ranked && query && (
        <Group gap="xs">
          <DialogButton
            size="compact-sm"
            variant="default"
            label={t('Judgments ({count})', { count: listJudgments(judgments).length })}
          >
            {dialog => (
              <JudgmentsDialog
                {...dialog}
                api={api}
                endpoint={query.endpoint}
                judgments={judgments}
                onChange={setJudgments}
              />
            )}
          </DialogButton>
        </Group>
      )}
      <ResultList
        results={results}
        fieldTitles={fieldTitles}
        isRanked={ranked}
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
    </Stack>
  )
}
