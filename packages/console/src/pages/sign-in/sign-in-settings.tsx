/** Settings > Sign-in: how the sign-in pages look, and the workspace's own OpenID provider. */
import { useParams } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useWorkspaceFileEdit } from '#api/workspace-file-edit.ts'
import { t } from '#i18n/translate.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import { Loading } from '#ui/loading.tsx'
import { Page } from '#ui/page.tsx'
import { BrandingForm } from './branding-form.tsx'

const Provider = lazy(async () => ({ default: (await import('./provider.tsx')).Provider }))

export const SignInSettings = () => {
  const { workspace } = useParams({ from: '/signed-in/w/$workspace/settings/sign-in' })
  const edit = useWorkspaceFileEdit(workspace)
  const isLoaded = edit.content !== undefined
  // The form is usable first; then the parts beside and below it load.
  const [isMounted, setMounted] = useState(false)
  useEffect(() => {
    if (!isLoaded) return
    const timer = setTimeout(() => setMounted(true))
    return () => clearTimeout(timer)
  }, [isLoaded])
  return (
    <Page
      title={t('Sign-in')}
      description={t(
        'How the sign-in pages of this workspace look, and the OpenID provider of your organization.',
      )}
    >
      {edit.error ? <ErrorNote error={edit.error} /> : edit.content === undefined && <Loading />}
      {edit.content && (
        <>
          <BrandingForm workspace={workspace} edit={edit} content={edit.content} isMounted={isMounted} />
          {isMounted && (
            <Suspense fallback={<Loading />}>
              <Provider workspace={workspace} provider={edit.content.file.identityProvider ?? undefined} />
            </Suspense>
          )}
        </>
      )}
    </Page>
  )
}
