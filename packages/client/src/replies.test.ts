/** The compiler runs this test: a type that differs from the contract's fails `npm run types`. */
import { test } from 'node:test'
import type {
  ErrorCode as ContractErrorCode,
  ErrorPlace as ContractErrorPlace,
} from '@querent/contract/errors'
import type * as contract from '@querent/contract/query'
import type { ErrorCode } from './errors.ts'
import type * as replies from './replies.ts'

/** `true` if each can be assigned to the other. */
type EqualTypes<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
const assertSame = <A, B>(_equal: EqualTypes<A, B>): void => {}

test('the replies and the codes are those of the contract', () => {
  assertSame<replies.Results, contract.Results>(true)
  assertSame<replies.ResultPage, contract.ResultPage>(true)
  assertSame<replies.PlainEntity, contract.PlainEntity>(true)
  assertSame<replies.Count, contract.Count>(true)
  assertSame<replies.Statistics, contract.Statistics>(true)
  assertSame<replies.FacetOptions, contract.Options>(true)
  assertSame<replies.ApiDescription, contract.ApiDescription>(true)
  assertSame<replies.ApiStatus, contract.Status>(true)
  assertSame<replies.BatchReply, contract.BatchReply>(true)
  assertSame<replies.ErrorPlace, ContractErrorPlace>(true)
  assertSame<ErrorCode, ContractErrorCode>(true)
})
