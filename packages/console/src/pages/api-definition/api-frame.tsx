import { Tabs } from '@mantine/core'
import type { Api, WorkspaceFile } from '@querent/contract/workspace-file'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, type ReactNode } from 'react'
import { readWorkspaceFile } from '#api/workspace-file-edit.ts'
import { t } from '#i18n/translate.ts'
import { DialogButton } from '#ui/dialog-button.tsx'
import { NotFound } from '#ui/not-found.tsx'
import { Page } from '#ui/page.tsx'

const ApiDialog = lazy(async () => ({ default: (await import('./api-dialog.tsx')).ApiDialog }))

interface ApiFrameProps {
  workspace: string
  api: string
  current: 'endpoints' | 'curation'
  children: (definition: Api, file: WorkspaceFile) => ReactNode
}

/** Heading and tabs of the pages that define an API. */
export const ApiFrame = ({ workspace, api, current, children }: ApiFrameProps) => {
  const { data } = useSuspenseQuery(readWorkspaceFile(workspace))
  const navigate = useNavigate()
  const { file } = data
  const definition = Object.hasOwn(file.apis ?? {}, api) ? file.apis?.[api] : undefined
  if (!definition) return <NotFound />
  const open = (name: string | null) => {
    const params = { workspace, api }
    if (name === 'endpoints') void navigate({ to: '/w/$workspace/apis/$api/endpoints', params })
    else if (name === 'curation') void navigate({ to: '/w/$workspace/apis/$api/curation', params })
    else void navigate({ to: '/w/$workspace/apis/$api', params })
  }
  return (
    <Page
      title={definition.title ?? api}
      description={t('What applications can ask this API, and which documents come first.')}
      action={
        <DialogButton label={t('Edit title and access')} variant="default">
          {dialog => (
            <ApiDialog
              {...dialog}
              workspace={workspace}
              api={api}
              definition={definition}
              names={Object.keys(file.apis ?? {})}
            />
          )}
        </DialogButton>
      }
    >
      <Tabs value={current} onChange={open} keepMounted={false}>
        <Tabs.List aria-label={t('Parts of the API')}>
          <Tabs.Tab value="try">{t('Try it')}</Tabs.Tab>
          <Tabs.Tab value="endpoints">{t('Endpoints')}</Tabs.Tab>
          <Tabs.Tab value="curation">{t('Curation')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value={current} pt="lg">
          {children(definition, file)}
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}
