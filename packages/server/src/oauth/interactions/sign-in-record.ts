/** Records sign-ins on the pages in the sign-in log, and tells people of sign-ins on new devices. */
import type { SignInEvent } from '#authz/sign-in-log'
import type { InteractionDetails } from '#oauth/library/interaction-types'
import { describeDevice } from '#oauth/sessions/session-device'
import type { UserRow } from '#storage/users'
import type { PageDependencies, PageRequest } from './page-request.ts'

/** Application and workspace that a person signs in to. Without them: the server itself. */
export type SignInTarget = Pick<SignInEvent, 'clientId' | 'workspaceId'>

type PageEvent = Omit<SignInEvent, 'address' | 'userAgent' | 'requestId'>

export const recordSignIn = (
  { signInLog }: Pick<PageDependencies, 'signInLog'>,
  { request, address, requestId }: Pick<PageRequest, 'request' | 'address' | 'requestId'>,
  event: PageEvent,
): void => signInLog.record({ ...event, address, userAgent: request.headers['user-agent'], requestId })

/**
 * Records a completed sign-in, and makes the device known. If it was not, the person gets a mail. Devices of people without a password
 * cannot be known (device.ts); they sign in with a passkey, which nobody can guess or steal by a page.
 */
export const completeRecord = (
  deps: PageDependencies,
  pageRequest: PageRequest,
  person: UserRow,
  event: Omit<PageEvent, 'result' | 'userId'>,
): void => {
  const { request, response, address, requestId } = pageRequest
  recordSignIn(deps, pageRequest, { ...event, result: 'ok', userId: person.id })
  const { id, password_hash } = person
  if (password_hash === null) return
  const holder = { id, password_hash }
  const isKnown = deps.devices.find(request, holder) !== undefined
  deps.devices.remember(request, response, holder)
  if (!isKnown)
    deps.securityNotices.send(
      { ...person, requestId },
      { kind: 'new-device', ...describeDevice(request, address), at: Date.now() },
    )
}

/** Returns the application and its workspace, for the log. */
export const findTarget = async (
  { consentService, directory }: PageDependencies,
  details: InteractionDetails,
): Promise<SignInTarget> => {
  const { clientId, workspace } = await consentService.application(details)
  return { clientId, workspaceId: workspace && (await directory.workspace(workspace.slug))?.id }
}
