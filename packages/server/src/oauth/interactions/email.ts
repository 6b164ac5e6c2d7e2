/** What is taken for an e-mail address: what the management API takes. */
import { Email } from '@querent/contract/manage'

export const isEmail = async (text: string): Promise<boolean> => {
  // Loaded by those who type one.
  const { schemaFaults } = await import('@querent/contract/schema-faults')
  return schemaFaults(Email, text).length === 0
}
