/** Creates a collection and its first search from a file of documents. */

import { Stack } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { t } from '#i18n/translate.ts'
import { Loading } from '#ui/loading.tsx'
import { Page } from '#ui/page.tsx'
import { ChooseFile } from './choose-file.tsx'
import type { ProposedFile } from './proposed-file.ts'

const ProposalForm = lazy(async () => ({ default: (await import('./proposal-form.tsx')).ProposalForm }))

export const CreateCollection = () => {
  const { workspace } = useParams({ from: '/signed-in/w/$workspace/create-collection' })
  const [proposed, setProposed] = useState<ProposedFile>()
  return (
    <Page
      title={t('Create a collection')}
      description={t('From a file of documents. You can change the proposal before anything is created.')}
    >
      <Stack gap="lg">
        {proposed ? (
          <Suspense fallback={<Loading />}>
            <ProposalForm
              key={proposed.file.name}
              workspace={workspace}
              proposed={proposed}
              onCancel={() => setProposed(undefined)}
            />
          </Suspense>
        ) : (
          <ChooseFile workspace={workspace} onProposed={setProposed} />
        )}
      </Stack>
    </Page>
  )
}
