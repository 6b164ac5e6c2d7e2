/** What is taken for an e-mail address: what the management API takes. */
import { Email } from '@querent/contract/manage'
import { schemaFaults } from '@querent/contract/schema-faults'

export const isEmail = (text: string): boolean => schemaFaults(Email, text).length === 0
