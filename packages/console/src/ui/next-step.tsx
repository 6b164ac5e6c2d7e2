import { Anchor, Button, Group } from '@mantine/core'
import { ApiError } from '@querent/client'
import { useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { t } from '#i18n/translate.ts'
import { FileLink } from './file-link.tsx'
import { TextLink } from './links.tsx'
import { listNextSteps, type NextStep } from './next-steps.ts'

interface NextStepsProps {
  error: unknown
}

/** Buttons and links below an error. */
export const NextSteps = ({ error }: NextStepsProps) => {
  const cache = useQueryClient()
  const { workspace = '', collection, api } = useParams({ strict: false })
  const { may } = useWorkspaceAccess(workspace)
  const isOfError = ({ state }: { state: { error: unknown } }) => state.error === error
  const isQuery = cache.getQueryCache().findAll({ predicate: isOfError }).length > 0
  const place = {
    ...(workspace === '' ? {} : { workspace }),
    ...(collection === undefined ? {} : { collection }),
    ...(api === undefined ? {} : { api }),
  }
  const steps = listNextSteps(error, place, isQuery, may('edit'))
  if (steps.length === 0) return null
  return (
    <Group gap="md" mt="xs">
      {steps.map(step => (
        <Step
          key={step}
          step={step}
          workspace={workspace}
          error={error}
          onRetry={() => void cache.refetchQueries({ predicate: isOfError })}
        />
      ))}
    </Group>
  )
}

interface StepProps {
  step: NextStep
  workspace: string
  error: unknown
  onRetry: () => void
}

const Step = ({ step, workspace, error, onRetry }: StepProps) => {
  const params = { workspace }
  switch (step) {
    case 'retry':
      return <StepButton onClick={onRetry}>{t('Try again')}</StepButton>
    case 'reload':
      return <StepButton onClick={() => location.reload()}>{t('Load the page again')}</StepButton>
    case 'refusal':
      return (
        <TextLink to="/w/$workspace/refused" params={params} search={readRequest(error)} fz="sm">
          {t('Why was I refused?')}
        </TextLink>
      )
    case 'file':
      return <FileLink workspace={workspace} path={readPath(error)} />
    case 'import-docs':
      return <DocsLink page="import-data">{t('What an import takes')}</DocsLink>
    case 'error-docs':
      return <DocsLink page="errors">{t('About this error')}</DocsLink>
    default:
      return (
        <TextLink to={pages[step].to} params={params} fz="sm">
          {pages[step].label}
        </TextLink>
      )
  }
}

const pages = {
  account: { to: '/you', label: t('Go to your account') },
  start: { to: '/workspaces', label: t('Go to the start page') },
  overview: { to: '/w/$workspace', label: t('Go to the overview') },
  data: { to: '/w/$workspace/data', label: t('All collections') },
  apis: { to: '/w/$workspace/apis', label: t('All APIs') },
  history: { to: '/w/$workspace/settings/workspace-file/history', label: t('Show who changed what') },
  relevance: { to: '/w/$workspace/relevance', label: t('Show the leak tests') },
} as const

const StepButton = ({ onClick, children }: { onClick: () => void; children: string }) => (
  <Button size="compact-sm" variant="default" onClick={onClick}>
    {children}
  </Button>
)

const DocsLink = ({ page, children }: { page: string; children: string }) => (
  <Anchor href={`/console/docs/${page}.html`} target="_blank" fz="sm">
    {children}
  </Anchor>
)

const readRequest = (error: unknown): { request?: string } =>
  error instanceof ApiError && error.requestId ? { request: error.requestId } : {}

const readPath = (error: unknown): string[] =>
  error instanceof ApiError ? (error.errors.find(({ path }) => path)?.path?.split('.') ?? []) : []
