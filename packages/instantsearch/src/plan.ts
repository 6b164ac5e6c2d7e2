import type { PreparedRequest } from '@querent/client'

/** Queries, and how their replies become the reply of InstantSearch. */
export interface Plan<Reply> {
  requests: PreparedRequest<unknown>[]
  read(bodies: readonly unknown[]): Reply
}
