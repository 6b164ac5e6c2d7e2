import type { Api, WorkspaceFile } from '@querent/contract/workspace-file'
import { useSuspenseQuery } from '@tanstack/react-query'
import { lazy, type ReactNode } from 'react'
import { readWorkspaceFile } from '#api/workspace-file-edit.ts'
import { t } from '#i18n/translate.ts'
import { DialogButton } from '#ui/dialog-button.tsx'
import { NotFound } from '#ui/not-found.tsx'
import { Page } from '#ui/page.tsx'
import { ApiTabs } from './api-tabs.tsx'

const DeleteApi = lazy(async () => ({ default: (await import('./delete-api.tsx')).DeleteApi }))
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
  const { file } = data
  const definition = Object.hasOwn(file.apis ?? {}, api) ? file.apis?.[api] : undefined
  if (!definition) return <NotFound />
  return (
    <Page
      title={definition.title ?? api}
      {...(definition.title === undefined ? {} : { name: api })}
      description={t('What applications can ask this API, and which documents come first.')}
      action={
        <>
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
          <DialogButton label={t('Delete API')} variant="subtle" color="red">
            {dialog => <DeleteApi {...dialog} workspace={workspace} api={api} />}
          </DialogButton>
        </>
      }
    >
      <ApiTabs workspace={workspace} api={api} current={current}>
        {children(definition, file)}
      </ApiTabs>
    </Page>
  )
}
