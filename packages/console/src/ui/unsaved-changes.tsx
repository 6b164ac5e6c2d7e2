import { useBlocker } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect } from 'react'
import { isLeavingForLogin } from '#api/session.ts'
import { t } from '#i18n/translate.ts'

const LeaveDialog = lazy(async () => ({ default: (await import('./leave-dialog.tsx')).LeaveDialog }))

interface LeaveGuardProps {
  /** Whether something would be lost. */
  isBlocking: boolean
  question: string
  /** The changes that would be lost, in words. */
  children: ReactNode
  /** On the button that leaves. */
  leave?: string
  /** Path below which nothing is lost; by default only the path of the page. */
  within?: string
  /** Parameters of the address of the page whose change loses it too. */
  parameters?: readonly string[]
}

/** Where the person has chosen to go: the other forms of the page don't ask again. */
let leavingFor: string | undefined
const writeAddress = ({ pathname, search }: { pathname: string; search: object }): string =>
  JSON.stringify([pathname, search])

/** Asks before the page is left, by a link as well as by closing it. */
export const LeaveGuard = ({
  isBlocking,
  question,
  children,
  leave = t('Leave'),
  within,
  parameters = [],
}: LeaveGuardProps) => {
  // The person goes on typing here.
  useEffect(() => {
    if (isBlocking) leavingFor = undefined
  }, [isBlocking])
  const { status, next, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isBlocking &&
      writeAddress(next) !== leavingFor &&
      (current.pathname === next.pathname
        ? parameters.some(name => readParameter(current, name) !== readParameter(next, name))
        : !isBelow(next.pathname, within)),
    enableBeforeUnload: () => isBlocking && !isLeavingForLogin(),
    withResolver: true,
  })
  if (status !== 'blocked') return null
  return (
    <Suspense>
      <LeaveDialog
        question={question}
        leave={leave}
        onStay={reset}
        onLeave={() => {
          leavingFor = writeAddress(next)
          proceed()
        }}
      >
        {children}
      </LeaveDialog>
    </Suspense>
  )
}

/** Asks before a person leaves a form that has a Save button. */
export const SaveGuard = (props: Pick<LeaveGuardProps, 'isBlocking' | 'parameters'>) => (
  <LeaveGuard {...props} question={t('Leave without saving?')}>
    {t('Your changes are not saved and will be lost.')}
  </LeaveGuard>
)

const isBelow = (pathname: string, parent: string | undefined): boolean =>
  parent !== undefined && (pathname === parent || pathname.startsWith(`${parent}/`))

const readParameter = ({ search }: { search: object }, name: string): unknown =>
  Object.entries(search).find(([key]) => key === name)?.[1]
