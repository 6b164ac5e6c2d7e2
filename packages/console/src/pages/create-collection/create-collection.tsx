/** Creates a collection and its first search from a file of documents. */

import { Stack } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { t, tNodes } from '#i18n/translate.ts'
import type { ProposedFile } from '#pages/collection/proposed-file.ts'
import { TextLink } from '#ui/links.tsx'
import { Loading } from '#ui/loading.tsx'
import { Page } from '#ui/page.tsx'
import { ChooseFile } from './choose-file.tsx'

const ProposalForm = lazy(async () => ({ default: (await import('./proposal-form.tsx')).ProposalForm }))

interface Created {
  collection: string
  title: string
}

export const CreateCollection = () => {
  const { workspace } = useParams({ from: '/signed-in/w/$workspace/create-collection' })
  const [proposed, setProposed] = useState<ProposedFile>()
  const [created, setCreated] = useState<Created>()
  const navigate = useNavigate()
  const showCreated = (collection: string, title: string) => {
    setCreated({ collection, title })
    // The address is that of the collection, which a reload opens. The page stays, because it imports the file.
    void navigate({
      to: '/w/$workspace/create-collection',
      params: { workspace },
      replace: true,
      resetScroll: false,
      mask: {
        to: '/w/$workspace/data/$collection',
        params: { workspace, collection },
        unmaskOnReload: true,
      },
    })
  }
  return (
    <Page
      title={created?.title ?? t('Create a collection')}
      {...(created === undefined ? {} : { name: created.collection })}
      description={
        created === undefined ? (
          t('From a file of documents. You can change the proposal before anything is created.')
        ) : (
          <NextChanges workspace={workspace} {...created} />
        )
      }
    >
      <Stack gap="lg">
        {proposed ? (
          <Suspense fallback={<Loading />}>
            <ProposalForm
              key={`${proposed.file.name} ${proposed.rows}`}
              workspace={workspace}
              proposed={proposed}
              onProposed={setProposed}
              onCreated={showCreated}
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

/** Says that the collection is there, and where it is changed. */
const NextChanges = ({ workspace, collection, title }: Created & { workspace: string }) => (
  <span role="status">
    {t('{collection} is created', { collection: title })}.{' '}
    {tNodes('You can still change its {fields}, and its endpoints under {apis}.', {
      fields: (
        <TextLink to="/w/$workspace/data/$collection/fields" params={{ workspace, collection }}>
          {t('fields')}
        </TextLink>
      ),
      apis: (
        <TextLink to="/w/$workspace/apis" params={{ workspace }}>
          {t('APIs')}
        </TextLink>
      ),
    })}
  </span>
)
