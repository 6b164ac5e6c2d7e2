import type { ErrorComponentProps } from '@tanstack/react-router'
import { Failure } from './failure.tsx'
import { NotFound } from './not-found.tsx'

/** Outside the frame, which has the main landmark otherwise. */
export const StandaloneNotFound = () => (
  <main>
    <NotFound />
  </main>
)

/** As above. */
export const StandaloneFailure = (props: ErrorComponentProps) => (
  <main>
    <Failure {...props} />
  </main>
)
