/** Why was I refused? Explains a request ID or a token; lists recent refusals for administrators. */
import { Alert, Button, Group, Stack, Textarea } from '@mantine/core'
import { ApiError } from '@querent/client'
import { useMutation } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type FormEvent, type KeyboardEvent, lazy, Suspense, useEffect, useState } from 'react'
import { management } from '#api/manage.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { t, tNodes } from '#i18n/translate.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import { TextLink } from '#ui/links.tsx'
import { Loading } from '#ui/loading.tsx'
import { Page } from '#ui/page.tsx'
import type { Answer } from './explanation.tsx'
import { type Pasted, readPasted } from './read-pasted.ts'
import type { RefusalSearch } from './search.ts'

const Explanation = lazy(async () => ({ default: (await import('./explanation.tsx')).Explanation }))
const RecentRefusals = lazy(async () => ({ default: (await import('./recent-refusals.tsx')).RecentRefusals }))

const route = '/signed-in/w/$workspace/refused'

const loadChecks = async (pasted: Pasted, workspace: string): Promise<Answer> => {
  if ('token' in pasted) {
    const { token } = pasted
    const { checks, claims } = await management.call('inspectToken', { input: { token, workspace } })
    return { checks, isSystem: claims !== null && claims.sub === claims.client_id }
  }
  const { checks, subject, clientId, ...request } = await management.call('getRefusal', { params: pasted })
  return { checks, isSystem: subject !== null && subject === clientId, request }
}

/** Submits the form on Enter. Shift+Enter inserts a line break. */
const submitByEnter = (event: KeyboardEvent<HTMLTextAreaElement>) => {
  if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
  event.preventDefault()
  event.currentTarget.form?.requestSubmit()
}

const isUnknownRequest = (error: Error): boolean => error instanceof ApiError && error.status === 404

const UnknownRequest = ({ requestId }: { requestId: string | undefined }) => {
  const { workspace } = useParams({ from: route })
  return (
    <Alert color="yellow" variant="light" role="alert" title={t('No refused request has this ID')}>
      {tNodes(
        'Copy the whole ID of a 401 or 403 reply of the last 24 hours, to you or, if you are an administrator, to anybody in this workspace. Queries that failed for another reason are in {requests}.',
        {
          requests: (
            <TextLink
              to="/w/$workspace/requests"
              params={{ workspace }}
              search={requestId === undefined ? {} : { text: requestId }}
            >
              {t('Requests')}
            </TextLink>
          ),
        },
      )}
    </Alert>
  )
}

export const RefusalPage = () => {
  const { workspace } = useParams({ from: route })
  const search: RefusalSearch = useSearch({ from: route })
  const { may } = useWorkspaceAccess(workspace)
  const navigate = useNavigate({ from: '/w/$workspace/refused' })
  const [text, setText] = useState(search.request ?? '')
  const [fault, setFault] = useState<string>()
  const { mutate, reset, data, error, isPending } = useMutation({
    mutationFn: (pasted: Pasted) => loadChecks(pasted, workspace),
  })
  // A link to a request explains it.
  useEffect(() => {
    if (search.request === undefined) return
    setText(search.request)
    mutate({ requestId: search.request })
  }, [search.request, mutate])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const pasted = readPasted(text)
    if (pasted === undefined) {
      reset()
      return setFault(t('This is neither a request ID nor an access token.'))
    }
    // A token never belongs into an address.
    if ('token' in pasted || pasted.requestId === search.request) return mutate(pasted)
    void navigate({ search: { ...search, request: pasted.requestId }, resetScroll: false })
  }
  return (
    <Page
      title={t('Why was I refused?')}
      description={t(
        'Every 401 or 403 reply has a request ID, in its body and in the header X-Request-Id. You can look it up for 24 hours.',
      )}
    >
      <form onSubmit={submit}>
        <Stack gap="sm" maw={720}>
          <Textarea
            label={t('Request ID or access token')}
            description={t(
              'A token is checked against this workspace. It is only sent to this server, and not stored.',
            )}
            required
            autosize
            minRows={2}
            maxRows={8}
            spellCheck={false}
            value={text}
            error={fault}
            onChange={event => {
              setText(event.currentTarget.value)
              setFault(undefined)
            }}
            onKeyDown={submitByEnter}
          />
          <Group>
            <Button type="submit" loading={isPending}>
              {t('Explain')}
            </Button>
          </Group>
        </Stack>
      </form>
      {error &&
        (isUnknownRequest(error) ? (
          <UnknownRequest requestId={search.request} />
        ) : (
          <ErrorNote error={error} />
        ))}
      <Suspense fallback={<Loading />}>
        {data && <Explanation workspace={workspace} answer={data} />}
        {may('administer') && <RecentRefusals workspace={workspace} search={search} />}
      </Suspense>
    </Page>
  )
}
